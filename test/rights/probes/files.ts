// Attachments: they are hidden with their records, and with the fields that keep them.
import type { Ids } from '../vault-stage.ts'
import { type Group, type Probe, probe, refused } from './probe.ts'

export const fileProbes: readonly Probe[] = [
  probe(
    'search',
    (ids: Ids) => [ids.file],
    () => ({
      model: 'ir.attachment',
      method: 'search',
      body: { domain: [['res_model', '=', 'vault.paper']] },
    }),
  ),
  probe('count', 0, (ids) => ({
    model: 'ir.attachment',
    method: 'search_count',
    body: {
      domain: [
        ['res_model', '=', 'vault.paper'],
        ['res_id', '=', ids.hiddenPaper],
      ],
    },
  })),
  probe('by name', [], () => ({
    model: 'ir.attachment',
    method: 'search',
    body: { domain: [['name', 'ilike', 'cipher']] },
  })),
  probe(
    'groups',
    [['vault.paper', 1]],
    () => ({
      model: 'ir.attachment',
      method: 'formatted_read_group',
      body: { domain: [['res_model', '=', 'vault.paper']], groupby: ['res_model'], aggregates: ['__count'] },
    }),
    (groups: Group[]) => groups.map((group) => [group.res_model, group.__count]),
  ),
  ...['name', 'datas', 'raw', 'res_id', 'checksum'].map((field) =>
    probe(`read ${field}`, refused, (ids) => ({
      model: 'ir.attachment',
      method: 'read',
      body: { ids: [ids.hiddenFile], fields: [field] },
    })),
  ),
  probe('write', refused, (ids) => ({
    model: 'ir.attachment',
    method: 'write',
    body: { ids: [ids.hiddenFile], vals: { res_id: ids.paper } },
  })),
  probe('unlink', refused, (ids) => ({
    model: 'ir.attachment',
    method: 'unlink',
    body: { ids: [ids.hiddenFile] },
  })),
  probe('copy', refused, (ids) => ({
    model: 'ir.attachment',
    method: 'copy',
    body: { ids: [ids.hiddenFile], default: { res_id: ids.paper } },
  })),
  probe('put one on a hidden record', refused, (ids) => ({
    model: 'ir.attachment',
    method: 'create',
    body: { vals_list: [{ name: 'x', datas: 'eA==', res_model: 'vault.paper', res_id: ids.hiddenPaper }] },
  })),
  probe('content', refused, (ids) => ({ place: { kind: 'attachment', id: ids.hiddenFile as number } })),
  probe('content of a field of a group', refused, (ids) => ({
    place: { kind: 'field', model: 'vault.paper', id: ids.paper as number, field: 'scan' },
  })),
  probe('content of a hidden record', refused, (ids) => ({
    place: { kind: 'field', model: 'vault.paper', id: ids.hiddenPaper as number, field: 'scan' },
  })),
  probe('content by an external id', refused, () => ({
    place: { kind: 'xmlid', xmlid: 'vault.cipher_paper', field: 'scan' },
  })),
]
