// Attachments: they are hidden with their records, and with the fields that keep them.
import type { Ids } from '../vault-stage.ts'
import { type Door, door, type Group, refused } from './door.ts'

export const fileDoors: readonly Door[] = [
  door(
    'search',
    (ids: Ids) => [ids.file],
    () => ({
      model: 'ir.attachment',
      method: 'search',
      body: { domain: [['res_model', '=', 'vault.paper']] },
    }),
  ),
  door('count', 0, (ids) => ({
    model: 'ir.attachment',
    method: 'search_count',
    body: {
      domain: [
        ['res_model', '=', 'vault.paper'],
        ['res_id', '=', ids.hiddenPaper],
      ],
    },
  })),
  door('by name', [], () => ({
    model: 'ir.attachment',
    method: 'search',
    body: { domain: [['name', 'ilike', 'cipher']] },
  })),
  door(
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
    door(`read ${field}`, refused, (ids) => ({
      model: 'ir.attachment',
      method: 'read',
      body: { ids: [ids.hiddenFile], fields: [field] },
    })),
  ),
  door('write', refused, (ids) => ({
    model: 'ir.attachment',
    method: 'write',
    body: { ids: [ids.hiddenFile], vals: { res_id: ids.paper } },
  })),
  door('unlink', refused, (ids) => ({
    model: 'ir.attachment',
    method: 'unlink',
    body: { ids: [ids.hiddenFile] },
  })),
  door('copy', refused, (ids) => ({
    model: 'ir.attachment',
    method: 'copy',
    body: { ids: [ids.hiddenFile], default: { res_id: ids.paper } },
  })),
  door('put one on a hidden record', refused, (ids) => ({
    model: 'ir.attachment',
    method: 'create',
    body: { vals_list: [{ name: 'x', datas: 'eA==', res_model: 'vault.paper', res_id: ids.hiddenPaper }] },
  })),
  door('content', refused, (ids) => ({ place: { kind: 'attachment', id: ids.hiddenFile as number } })),
  door('content of a field of a group', refused, (ids) => ({
    place: { kind: 'field', model: 'vault.paper', id: ids.paper as number, field: 'scan' },
  })),
  door('content of a hidden record', refused, (ids) => ({
    place: { kind: 'field', model: 'vault.paper', id: ids.hiddenPaper as number, field: 'scan' },
  })),
  door('content by an external id', refused, () => ({
    place: { kind: 'xmlid', xmlid: 'vault.cipher_paper', field: 'scan' },
  })),
]
