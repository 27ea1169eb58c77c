// Fields of a group: nothing may be inferred from them.
import { type Door, door, finds, type Group, groups, refused, search } from './door.ts'

export const fieldDoors: readonly Door[] = [
  finds('condition', () => [['weight', '>', 10]], refused),
  finds('condition under a negation', () => ['!', ['note', 'ilike', 'x']], refused),
  finds('condition that is always true', () => ['|', ['id', '!=', 0], ['weight', '>', 10]], refused),
  finds('whether a relation is set', () => [['seal', '!=', false]], refused),
  finds('path through a relation of a group', () => [['seal.name', '=', 'Blue']], refused),
  finds('any of a relation of a group', () => [['seal_ids', 'any', []]], refused),
  finds('hierarchy', (ids) => [['seal', 'child_of', ids.tag]], refused),
  finds('dotted', () => [['folder_id.weight', '=', 5]], refused),
  finds('through lines', () => [['child_ids.weight', '=', 5]], refused),
  finds('inside any', () => [['folder_id', 'any', [['weight', '=', 5]]]], refused),
  door('order', refused, () => search([], { order: 'weight' })),
  door('order by a second term', refused, () => search([], { order: 'name, weight desc' })),
  door('order of search_read', refused, () => ({
    method: 'search_read',
    body: { domain: [], fields: ['name'], order: 'note' },
  })),
  door('read', refused, (ids) => ({ method: 'read', body: { ids: [ids.paper], fields: ['name', 'note'] } })),
  door('read of a file', refused, (ids) => ({
    method: 'read',
    body: { ids: [ids.paper], fields: ['scan'] },
  })),
  door('search_read', refused, () => ({ method: 'search_read', body: { domain: [], fields: ['weight'] } })),
  door('descriptions', {}, () => ({
    method: 'fields_get',
    body: { allfields: ['weight', 'note', 'seal', 'seal_ids', 'scan'] },
  })),
  door(
    'all fields',
    [false, false],
    () => ({ method: 'search_read', body: { domain: [] } }),
    (rows: Group[]) => rows.map((row) => 'note' in row || 'weight' in row || 'seal' in row || 'scan' in row),
  ),
  door('group by', refused, () => groups(['weight'])),
  door('group by a path', refused, () => groups(['folder_id.weight'])),
  door('group by links', refused, () => groups(['seal_ids'])),
  door('aggregate', refused, () => groups(['kind'], ['weight:sum'])),
  door('aggregate of a relation', refused, () => groups(['kind'], ['seal:count_distinct'])),
  door('having', refused, () => groups(['kind'], ['__count'], { having: [['weight:sum', '>', 10]] })),
  door('order of groups', refused, () => groups(['name'], ['__count'], { order: 'weight:max' })),
  door('older groups', refused, () => ({
    method: 'read_group',
    body: { domain: [], fields: ['weight:sum'], groupby: ['kind'] },
  })),
  door('order of older groups', refused, () => ({
    method: 'read_group',
    body: { domain: [], fields: [], groupby: ['kind'], orderby: 'weight' },
  })),
  door('grouping sets', refused, () => ({
    method: 'formatted_read_grouping_sets',
    body: { domain: [], grouping_sets: [['kind'], ['weight']] },
  })),
  door('groups with records', refused, () => ({
    method: 'web_read_group',
    body: { domain: [], groupby: ['kind'], auto_unfold: true, unfold_read_specification: { note: {} } },
  })),
  door('progress', refused, () => ({
    method: 'read_progress_bar',
    body: { domain: [], group_by: 'weight', progress_bar: { field: 'kind', colors: { x: 'a' } } },
  })),
  door('panel', refused, () => ({
    method: 'search_panel_select_range',
    body: { field_name: 'seal', enable_counters: true },
  })),
  door('panel of several', refused, () => ({
    method: 'search_panel_select_multi_range',
    body: { field_name: 'seal_ids' },
  })),
  door('panel by groups', refused, () => ({
    method: 'search_panel_select_multi_range',
    body: { field_name: 'folder_id', group_by: 'weight' },
  })),
  door('specification', refused, (ids) => ({
    method: 'web_read',
    body: { ids: [ids.paper], specification: { note: {} } },
  })),
  door('nested specification', refused, (ids) => ({
    method: 'web_read',
    body: { ids: [ids.paper], specification: { folder_id: { fields: { weight: {} } } } },
  })),
  door('order inside a specification', refused, (ids) => ({
    method: 'web_read',
    body: { ids: [ids.paper], specification: { child_ids: { fields: { name: {} }, order: 'weight' } } },
  })),
  door('export', refused, (ids) => ({
    method: 'export_data',
    body: { ids: [ids.paper], fields_to_export: ['note'] },
  })),
  door('export behind a relation', refused, (ids) => ({
    method: 'export_data',
    body: { ids: [ids.paper], fields_to_export: ['folder_id/weight'] },
  })),
  door('import', refused, () => ({
    method: 'load',
    body: { fields: ['name', 'weight'], data: [['New', '5']] },
  })),
  door('write', refused, (ids) => ({ method: 'write', body: { ids: [ids.paper], vals: { weight: 5 } } })),
  door('create', refused, () => ({ method: 'create', body: { vals_list: [{ name: 'New', weight: 5 }] } })),
  door('create by a default of the context', refused, () => ({
    method: 'create',
    body: { vals_list: [{ name: 'New' }], context: { default_weight: 5 } },
  })),
  door('write through lines', refused, (ids) => ({
    method: 'write',
    body: { ids: [ids.folder], vals: { paper_ids: [[1, ids.paper, { weight: 5 }]] } },
    model: 'vault.folder',
  })),
  door('copy', refused, (ids) => ({ method: 'copy', body: { ids: [ids.paper] } })),
  door('values of a copy', refused, (ids) => ({ method: 'copy_data', body: { ids: [ids.paper] } })),
  door('onchange', refused, () => ({
    method: 'onchange',
    body: { ids: [], values: {}, field_names: [], fields_spec: { note: {} } },
  })),
  door('numbering', refused, (ids) => ({
    method: 'web_resequence',
    body: { ids: [ids.paper], field_name: 'weight', specification: {} },
  })),
  door('translations', refused, (ids) => ({
    method: 'get_field_translations',
    body: { ids: [ids.paper], field_name: 'note' },
  })),
  door('writing translations', refused, (ids) => ({
    method: 'update_field_translations',
    body: { ids: [ids.paper], field_name: 'note', translations: { en_US: 'x' } },
  })),
  door('one text for all languages', refused, (ids) => ({
    method: 'web_override_translations',
    body: { ids: [ids.paper], values: { note: 'x' } },
  })),
  door('asking for rights', refused, () => ({
    method: 'check_field_access_rights',
    body: { operation: 'read', field_names: ['note'] },
  })),
  door('the file behind a field', [], (ids) => ({
    model: 'ir.attachment',
    method: 'search',
    body: {
      domain: [
        ['res_field', '=', 'scan'],
        ['res_id', '=', ids.paper],
      ],
    },
  })),
]
