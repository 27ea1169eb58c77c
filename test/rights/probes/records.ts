// Records that rules hide: not found, not counted, not touched.
import type { Ids } from '../vault-stage.ts'
import { finds, type Group, groups, type Probe, probe, refused, visible } from './probe.ts'

export const recordProbes: readonly Probe[] = [
  finds('search', () => [], visible),
  finds('archived ones too', () => ['|', ['active', '=', true], ['active', '=', false]], visible),
  finds('by what only they have', () => [['name', 'ilike', 'cipher']], []),
  finds('by id', (ids) => [['id', '=', ids.hiddenPaper]], []),
  finds('by a negation', () => ['!', ['name', 'in', ['Alpha', 'Beta']]], []),
  probe('counting', 2, () => ({ method: 'search_count', body: { domain: [] } })),
  probe(
    'counting with a page',
    2,
    () => ({ method: 'web_search_read', body: { domain: [], specification: {}, limit: 1 } }),
    ({ length }: { length: number }) => length,
  ),
  probe('read', refused, (ids) => ({ method: 'read', body: { ids: [ids.hiddenPaper], fields: ['name'] } })),
  probe('read of the id alone', refused, (ids) => ({
    method: 'read',
    body: { ids: [ids.hiddenPaper], fields: ['id'] },
  })),
  probe('read among others', refused, (ids) => ({
    method: 'read',
    body: { ids: [ids.paper, ids.hiddenPaper], fields: ['name'] },
  })),
  probe('display name', refused, (ids) => ({
    method: 'read',
    body: { ids: [ids.hiddenPaper], fields: ['display_name'] },
  })),
  probe('name search', [], () => ({ method: 'name_search', body: { name: 'ciph' } })),
  probe(
    'name search by other operators',
    (ids: Ids) => [
      [ids.paper, 'Alpha'],
      [ids.second, 'Beta'],
    ],
    () => ({ method: 'name_search', body: { name: 'zzz', operator: 'not ilike' } }),
  ),
  probe('name search by a specification', [], () => ({
    method: 'web_name_search',
    body: { name: 'ciph', specification: { display_name: {} } },
  })),
  probe(
    'group by',
    [['x', 2]],
    () => groups(['kind']),
    (groups: Group[]) => groups.map((group) => [group.kind, group.__count]),
  ),
  probe(
    'sums',
    [7, 2],
    () => groups([], ['pages:sum', '__count']),
    ([group]: Group[]) => [group?.['pages:sum'], group?.__count],
  ),
  probe(
    'lists',
    (ids: Ids) => [visible(ids)],
    () => groups([], ['id:array_agg']),
    ([group]: Group[]) => [group?.['id:array_agg']],
  ),
  probe(
    'older groups',
    [2],
    () => ({ method: 'read_group', body: { domain: [], fields: ['pages'], groupby: ['kind'] } }),
    (groups: Group[]) => groups.map((group) => group.kind_count),
  ),
  probe('progress', { x: { x: 2, y: 0, z: 0 } }, () => ({
    method: 'read_progress_bar',
    body: {
      domain: [],
      group_by: 'kind',
      progress_bar: { field: 'kind', colors: { x: 'a', y: 'b', z: 'c' } },
    },
  })),
  probe(
    'panel',
    [2],
    () => ({ method: 'search_panel_select_range', body: { field_name: 'kind', enable_counters: true } }),
    ({ values }: { values: Group[] }) => values.flatMap(({ __count }) => __count || []),
  ),
  probe('metadata', refused, (ids) => ({ method: 'get_metadata', body: { ids: [ids.hiddenPaper] } })),
  probe('external id', refused, (ids) => ({ method: 'get_external_id', body: { ids: [ids.hiddenPaper] } })),
  probe('export', refused, (ids) => ({
    method: 'export_data',
    body: { ids: [ids.hiddenPaper], fields_to_export: ['name'] },
  })),
  probe('export of ids', refused, (ids) => ({
    method: 'export_data',
    body: { ids: [ids.hiddenPaper], fields_to_export: ['.id', 'id'] },
  })),
  probe('copy', refused, (ids) => ({ method: 'copy', body: { ids: [ids.hiddenPaper] } })),
  probe('values of a copy', refused, (ids) => ({ method: 'copy_data', body: { ids: [ids.hiddenPaper] } })),
  probe('write', refused, (ids) => ({
    method: 'write',
    body: { ids: [ids.hiddenPaper], vals: { name: 'Mine' } },
  })),
  probe('write of nothing', refused, (ids) => ({
    method: 'write',
    body: { ids: [ids.hiddenPaper], vals: {} },
  })),
  probe('saving', refused, (ids) => ({
    method: 'web_save',
    body: { ids: [ids.hiddenPaper], vals: {}, specification: { name: {} } },
  })),
  probe('reading the next after saving', refused, (ids) => ({
    method: 'web_save',
    body: { ids: [ids.paper], vals: {}, specification: { name: {} }, next_id: ids.hiddenPaper },
  })),
  probe('numbering', refused, (ids) => ({
    method: 'web_resequence',
    body: { ids: [ids.hiddenPaper], field_name: 'pages', specification: { name: {} } },
  })),
  probe('unlink', refused, (ids) => ({ method: 'unlink', body: { ids: [ids.hiddenPaper] } })),
  probe('toggling', refused, (ids) => ({ method: 'toggle_active', body: { ids: [ids.hiddenPaper] } })),
  probe('archiving', refused, (ids) => ({ method: 'action_archive', body: { ids: [ids.hiddenPaper] } })),
  probe('bringing back', refused, (ids) => ({
    method: 'action_unarchive',
    body: { ids: [ids.hiddenPaper] },
  })),
  probe('whether one may', false, (ids) => ({
    method: 'has_access',
    body: { ids: [ids.hiddenPaper], operation: 'read' },
  })),
  probe('onchange of it', refused, (ids) => ({
    method: 'onchange',
    body: { ids: [ids.hiddenPaper], values: { kind: 'x' }, field_names: ['kind'], fields_spec: { name: {} } },
  })),
  probe('translations', refused, (ids) => ({
    method: 'get_field_translations',
    body: { ids: [ids.hiddenPaper], field_name: 'name' },
  })),
  probe('translations to another', refused, (ids) => ({
    method: 'copy_translations',
    body: { ids: [ids.hiddenPaper], new: ids.paper },
  })),
  probe(
    'import over its external id',
    refused,
    () => ({ method: 'load', body: { fields: ['id', 'name'], data: [['vault.cipher_paper', 'Mine']] } }),
    ({ ids }: { ids: unknown }) => ids,
  ),
  probe(
    'import over its id',
    false,
    (ids) => ({
      method: 'load',
      body: { fields: ['.id', 'name'], data: [[String(ids.hiddenPaper), 'Mine']] },
    }),
    ({ ids }: { ids: unknown }) => ids,
  ),
]
