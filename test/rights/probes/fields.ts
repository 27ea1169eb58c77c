// Fields restricted to a group: callers outside it must not infer their values.
import { finds, type Group, groups, type Probe, probe, refused, search } from './probe.ts'

export const fieldProbes: readonly Probe[] = [
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
  probe('order', refused, () => search([], { order: 'weight' })),
  probe('order by a second term', refused, () => search([], { order: 'name, weight desc' })),
  probe('order of search_read', refused, () => ({
    method: 'search_read',
    body: { domain: [], fields: ['name'], order: 'note' },
  })),
  probe('read', refused, (ids) => ({ method: 'read', body: { ids: [ids.paper], fields: ['name', 'note'] } })),
  probe('read of a file', refused, (ids) => ({
    method: 'read',
    body: { ids: [ids.paper], fields: ['scan'] },
  })),
  probe('search_read', refused, () => ({ method: 'search_read', body: { domain: [], fields: ['weight'] } })),
  probe('descriptions', {}, () => ({
    method: 'fields_get',
    body: { allfields: ['weight', 'note', 'seal', 'seal_ids', 'scan'] },
  })),
  probe(
    'all fields',
    [false, false],
    () => ({ method: 'search_read', body: { domain: [] } }),
    (rows: Group[]) => rows.map((row) => 'note' in row || 'weight' in row || 'seal' in row || 'scan' in row),
  ),
  probe('group by', refused, () => groups(['weight'])),
  probe('group by a path', refused, () => groups(['folder_id.weight'])),
  probe('group by links', refused, () => groups(['seal_ids'])),
  probe('aggregate', refused, () => groups(['kind'], ['weight:sum'])),
  probe('aggregate of a relation', refused, () => groups(['kind'], ['seal:count_distinct'])),
  probe('having', refused, () => groups(['kind'], ['__count'], { having: [['weight:sum', '>', 10]] })),
  probe('order of groups', refused, () => groups(['name'], ['__count'], { order: 'weight:max' })),
  probe('older groups', refused, () => ({
    method: 'read_group',
    body: { domain: [], fields: ['weight:sum'], groupby: ['kind'] },
  })),
  probe('order of older groups', refused, () => ({
    method: 'read_group',
    body: { domain: [], fields: [], groupby: ['kind'], orderby: 'weight' },
  })),
  probe('grouping sets', refused, () => ({
    method: 'formatted_read_grouping_sets',
    body: { domain: [], grouping_sets: [['kind'], ['weight']] },
  })),
  probe('groups with records', refused, () => ({
    method: 'web_read_group',
    body: { domain: [], groupby: ['kind'], auto_unfold: true, unfold_read_specification: { note: {} } },
  })),
  probe('progress', refused, () => ({
    method: 'read_progress_bar',
    body: { domain: [], group_by: 'weight', progress_bar: { field: 'kind', colors: { x: 'a' } } },
  })),
  probe('panel', refused, () => ({
    method: 'search_panel_select_range',
    body: { field_name: 'seal', enable_counters: true },
  })),
  probe('panel of several', refused, () => ({
    method: 'search_panel_select_multi_range',
    body: { field_name: 'seal_ids' },
  })),
  probe('panel by groups', refused, () => ({
    method: 'search_panel_select_multi_range',
    body: { field_name: 'folder_id', group_by: 'weight' },
  })),
  probe('specification', refused, (ids) => ({
    method: 'web_read',
    body: { ids: [ids.paper], specification: { note: {} } },
  })),
  probe('nested specification', refused, (ids) => ({
    method: 'web_read',
    body: { ids: [ids.paper], specification: { folder_id: { fields: { weight: {} } } } },
  })),
  probe('order inside a specification', refused, (ids) => ({
    method: 'web_read',
    body: { ids: [ids.paper], specification: { child_ids: { fields: { name: {} }, order: 'weight' } } },
  })),
  probe('export', refused, (ids) => ({
    method: 'export_data',
    body: { ids: [ids.paper], fields_to_export: ['note'] },
  })),
  probe('export through a relation', refused, (ids) => ({
    method: 'export_data',
    body: { ids: [ids.paper], fields_to_export: ['folder_id/weight'] },
  })),
  probe('import', refused, () => ({
    method: 'load',
    body: { fields: ['name', 'weight'], data: [['New', '5']] },
  })),
  probe('write', refused, (ids) => ({ method: 'write', body: { ids: [ids.paper], vals: { weight: 5 } } })),
  probe('create', refused, () => ({ method: 'create', body: { vals_list: [{ name: 'New', weight: 5 }] } })),
  probe('create by a default of the context', refused, () => ({
    method: 'create',
    body: { vals_list: [{ name: 'New' }], context: { default_weight: 5 } },
  })),
  probe('write through lines', refused, (ids) => ({
    method: 'write',
    body: { ids: [ids.folder], vals: { paper_ids: [[1, ids.paper, { weight: 5 }]] } },
    model: 'vault.folder',
  })),
  probe('copy', refused, (ids) => ({ method: 'copy', body: { ids: [ids.paper] } })),
  probe('values of a copy', refused, (ids) => ({ method: 'copy_data', body: { ids: [ids.paper] } })),
  probe('onchange', refused, () => ({
    method: 'onchange',
    body: { ids: [], values: {}, field_names: [], fields_spec: { note: {} } },
  })),
  probe('numbering', refused, (ids) => ({
    method: 'web_resequence',
    body: { ids: [ids.paper], field_name: 'weight', specification: {} },
  })),
  probe('translations', refused, (ids) => ({
    method: 'get_field_translations',
    body: { ids: [ids.paper], field_name: 'note' },
  })),
  probe('writing translations', refused, (ids) => ({
    method: 'update_field_translations',
    body: { ids: [ids.paper], field_name: 'note', translations: { en_US: 'x' } },
  })),
  probe('one text for all languages', refused, (ids) => ({
    method: 'web_override_translations',
    body: { ids: [ids.paper], values: { note: 'x' } },
  })),
  probe('check_field_access_rights', refused, () => ({
    method: 'check_field_access_rights',
    body: { operation: 'read', field_names: ['note'] },
  })),
  probe('the file behind a field', [], (ids) => ({
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
