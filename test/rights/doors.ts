// The doors: calls that might tell what is hidden, each with the one answer that does not.
import type { Ids } from './vault-stage.ts'

export interface Ask {
  /** Papers when left out. */
  readonly model?: string
  readonly method: string
  readonly body: Record<string, unknown>
}

export interface Door {
  readonly title: string
  readonly ask: (ids: Ids) => Ask
  /** `refused`, or the answer, maybe by the ids of the records. */
  readonly expect: unknown
  /** The part of the answer that is expected; everything must be the same in both versions. */
  readonly part?: (value: never) => unknown
}

/** What a refused call comes to. */
const refused = { refused: 403 }

const door = (title: string, expect: unknown, ask: Door['ask'], part?: Door['part']): Door => ({
  title,
  expect,
  ask,
  ...(part ? { part } : {}),
})
type Group = Record<string, unknown>
const search = (domain: unknown[], further = {}) => ({ method: 'search', body: { domain, ...further } })
/** Papers that satisfy the conditions. */
const finds = (title: string, domain: (ids: Ids) => unknown[], expect: unknown): Door => door(title, expect, (ids) => search(domain(ids)))
const groups = (groupby: string[], aggregates: string[] = ['__count'], further = {}) => ({
  method: 'formatted_read_group',
  body: { domain: [], groupby, aggregates, ...further },
})
const only =
  (...names: string[]) =>
  (ids: Ids) =>
    names.map((name) => ids[name])
const visible = only('paper', 'second')

export const doors: Readonly<Record<string, readonly Door[]>> = {
  'fields of a group': [
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
    door('order of search_read', refused, () => ({ method: 'search_read', body: { domain: [], fields: ['name'], order: 'note' } })),
    door('read', refused, (ids) => ({ method: 'read', body: { ids: [ids.paper], fields: ['name', 'note'] } })),
    door('read of a file', refused, (ids) => ({ method: 'read', body: { ids: [ids.paper], fields: ['scan'] } })),
    door('search_read', refused, () => ({ method: 'search_read', body: { domain: [], fields: ['weight'] } })),
    door('descriptions', {}, () => ({ method: 'fields_get', body: { allfields: ['weight', 'note', 'seal', 'seal_ids', 'scan'] } })),
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
    door('older groups', refused, () => ({ method: 'read_group', body: { domain: [], fields: ['weight:sum'], groupby: ['kind'] } })),
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
    door('panel', refused, () => ({ method: 'search_panel_select_range', body: { field_name: 'seal', enable_counters: true } })),
    door('panel of several', refused, () => ({ method: 'search_panel_select_multi_range', body: { field_name: 'seal_ids' } })),
    door('panel by groups', refused, () => ({
      method: 'search_panel_select_multi_range',
      body: { field_name: 'folder_id', group_by: 'weight' },
    })),
    door('specification', refused, (ids) => ({ method: 'web_read', body: { ids: [ids.paper], specification: { note: {} } } })),
    door('nested specification', refused, (ids) => ({
      method: 'web_read',
      body: { ids: [ids.paper], specification: { folder_id: { fields: { weight: {} } } } },
    })),
    door('order inside a specification', refused, (ids) => ({
      method: 'web_read',
      body: { ids: [ids.paper], specification: { child_ids: { fields: { name: {} }, order: 'weight' } } },
    })),
    door('export', refused, (ids) => ({ method: 'export_data', body: { ids: [ids.paper], fields_to_export: ['note'] } })),
    door('export behind a relation', refused, (ids) => ({
      method: 'export_data',
      body: { ids: [ids.paper], fields_to_export: ['folder_id/weight'] },
    })),
    door('import', refused, () => ({ method: 'load', body: { fields: ['name', 'weight'], data: [['New', '5']] } })),
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
    door('onchange', refused, () => ({ method: 'onchange', body: { ids: [], values: {}, field_names: [], fields_spec: { note: {} } } })),
    door('numbering', refused, (ids) => ({
      method: 'web_resequence',
      body: { ids: [ids.paper], field_name: 'weight', specification: {} },
    })),
    door('translations', refused, (ids) => ({ method: 'get_field_translations', body: { ids: [ids.paper], field_name: 'note' } })),
    door('writing translations', refused, (ids) => ({
      method: 'update_field_translations',
      body: { ids: [ids.paper], field_name: 'note', translations: { en_US: 'x' } },
    })),
    door('one text for all languages', refused, (ids) => ({
      method: 'web_override_translations',
      body: { ids: [ids.paper], values: { note: 'x' } },
    })),
    door('asking for rights', refused, () => ({ method: 'check_field_access_rights', body: { operation: 'read', field_names: ['note'] } })),
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
  ],
  'hidden records': [
    finds('search', () => [], visible),
    finds('archived ones too', () => ['|', ['active', '=', true], ['active', '=', false]], visible),
    finds('by what only they have', () => [['name', 'ilike', 'cipher']], []),
    finds('by id', (ids) => [['id', '=', ids.hiddenPaper]], []),
    finds('by a negation', () => ['!', ['name', 'in', ['Alpha', 'Beta']]], []),
    door('counting', 2, () => ({ method: 'search_count', body: { domain: [] } })),
    door(
      'counting with a page',
      2,
      () => ({ method: 'web_search_read', body: { domain: [], specification: {}, limit: 1 } }),
      ({ length }: { length: number }) => length,
    ),
    door('read', refused, (ids) => ({ method: 'read', body: { ids: [ids.hiddenPaper], fields: ['name'] } })),
    door('read of the id alone', refused, (ids) => ({ method: 'read', body: { ids: [ids.hiddenPaper], fields: ['id'] } })),
    door('read among others', refused, (ids) => ({ method: 'read', body: { ids: [ids.paper, ids.hiddenPaper], fields: ['name'] } })),
    door('display name', refused, (ids) => ({ method: 'read', body: { ids: [ids.hiddenPaper], fields: ['display_name'] } })),
    door('name search', [], () => ({ method: 'name_search', body: { name: 'ciph' } })),
    door(
      'name search by other operators',
      (ids: Ids) => [
        [ids.paper, 'Alpha'],
        [ids.second, 'Beta'],
      ],
      () => ({ method: 'name_search', body: { name: 'zzz', operator: 'not ilike' } }),
    ),
    door('name search by a specification', [], () => ({
      method: 'web_name_search',
      body: { name: 'ciph', specification: { display_name: {} } },
    })),
    door(
      'group by',
      [['x', 2]],
      () => groups(['kind']),
      (found: Group[]) => found.map((group) => [group.kind, group.__count]),
    ),
    door(
      'sums',
      [7, 2],
      () => groups([], ['pages:sum', '__count']),
      ([group]: Group[]) => [group?.['pages:sum'], group?.__count],
    ),
    door(
      'lists',
      (ids: Ids) => [visible(ids)],
      () => groups([], ['id:array_agg']),
      ([group]: Group[]) => [group?.['id:array_agg']],
    ),
    door(
      'older groups',
      [2],
      () => ({ method: 'read_group', body: { domain: [], fields: ['pages'], groupby: ['kind'] } }),
      (found: Group[]) => found.map((group) => group.kind_count),
    ),
    door('progress', { x: { x: 2, y: 0, z: 0 } }, () => ({
      method: 'read_progress_bar',
      body: { domain: [], group_by: 'kind', progress_bar: { field: 'kind', colors: { x: 'a', y: 'b', z: 'c' } } },
    })),
    door(
      'panel',
      [2],
      () => ({ method: 'search_panel_select_range', body: { field_name: 'kind', enable_counters: true } }),
      ({ values }: { values: Group[] }) => values.flatMap(({ __count }) => __count || []),
    ),
    door('metadata', refused, (ids) => ({ method: 'get_metadata', body: { ids: [ids.hiddenPaper] } })),
    door('external id', refused, (ids) => ({ method: 'get_external_id', body: { ids: [ids.hiddenPaper] } })),
    door('export', refused, (ids) => ({ method: 'export_data', body: { ids: [ids.hiddenPaper], fields_to_export: ['name'] } })),
    door('export of ids', refused, (ids) => ({ method: 'export_data', body: { ids: [ids.hiddenPaper], fields_to_export: ['.id', 'id'] } })),
    door('copy', refused, (ids) => ({ method: 'copy', body: { ids: [ids.hiddenPaper] } })),
    door('values of a copy', refused, (ids) => ({ method: 'copy_data', body: { ids: [ids.hiddenPaper] } })),
    door('write', refused, (ids) => ({ method: 'write', body: { ids: [ids.hiddenPaper], vals: { name: 'Mine' } } })),
    door('write of nothing', refused, (ids) => ({ method: 'write', body: { ids: [ids.hiddenPaper], vals: {} } })),
    door('saving', refused, (ids) => ({ method: 'web_save', body: { ids: [ids.hiddenPaper], vals: {}, specification: { name: {} } } })),
    door('reading the next after saving', refused, (ids) => ({
      method: 'web_save',
      body: { ids: [ids.paper], vals: {}, specification: { name: {} }, next_id: ids.hiddenPaper },
    })),
    door('numbering', refused, (ids) => ({
      method: 'web_resequence',
      body: { ids: [ids.hiddenPaper], field_name: 'pages', specification: { name: {} } },
    })),
    door('unlink', refused, (ids) => ({ method: 'unlink', body: { ids: [ids.hiddenPaper] } })),
    door('toggling', refused, (ids) => ({ method: 'toggle_active', body: { ids: [ids.hiddenPaper] } })),
    door('archiving', refused, (ids) => ({ method: 'action_archive', body: { ids: [ids.hiddenPaper] } })),
    door('bringing back', refused, (ids) => ({ method: 'action_unarchive', body: { ids: [ids.hiddenPaper] } })),
    door('whether one may', false, (ids) => ({ method: 'has_access', body: { ids: [ids.hiddenPaper], operation: 'read' } })),
    door('onchange of it', refused, (ids) => ({
      method: 'onchange',
      body: { ids: [ids.hiddenPaper], values: { kind: 'x' }, field_names: ['kind'], fields_spec: { name: {} } },
    })),
    door('translations', refused, (ids) => ({ method: 'get_field_translations', body: { ids: [ids.hiddenPaper], field_name: 'name' } })),
    door('translations to another', refused, (ids) => ({ method: 'copy_translations', body: { ids: [ids.hiddenPaper], new: ids.paper } })),
    door(
      'import over its external id',
      refused,
      () => ({ method: 'load', body: { fields: ['id', 'name'], data: [['vault.cipher_paper', 'Mine']] } }),
      ({ ids }: { ids: unknown }) => ids,
    ),
    door(
      'import over its id',
      false,
      (ids) => ({ method: 'load', body: { fields: ['.id', 'name'], data: [[String(ids.hiddenPaper), 'Mine']] } }),
      ({ ids }: { ids: unknown }) => ids,
    ),
  ],
  'behind relations': [
    finds('path', () => [['folder_id.memo', 'ilike', 'cipher']], []),
    finds('negated path', () => ['!', ['folder_id.memo', '=', 'open']], only('second')),
    finds('any', () => [['folder_id', 'any', [['rank', '>', 5]]]], []),
    finds('not any', () => [['folder_id', 'not any', [['rank', '>', 5]]]], visible),
    finds('by name', () => [['folder_id', 'ilike', 'known']], []),
    finds('by lines', () => [['line_ids.name', 'ilike', 'cipher']], []),
    finds('by numbers of lines', () => [['line_ids.amount', '>', 5]], []),
    finds('by names of links', () => [['tag_ids', 'ilike', 'cipher']], []),
    finds('by links of links', () => [['tag_ids.paper_ids.name', 'ilike', 'cipher']], []),
    finds('by children', () => [['child_ids.pages', '>', 50]], []),
    finds('hierarchy by name', () => [['parent_id', 'child_of', 'Cipher']], []),
    finds('a model that is closed', () => [['drawer_id.place', 'ilike', 'attic']], refused),
    finds('names of a model that is closed', () => [['drawer_id', 'ilike', 'left']], refused),
    finds('any of a model that is closed', () => [['drawer_id', 'any', []]], refused),
    door(
      'lines',
      (ids: Ids) => [{ id: ids.paper, line_ids: [ids.line], tag_ids: [ids.tag], child_ids: [] }],
      (ids) => ({
        method: 'read',
        body: { ids: [ids.paper], fields: ['line_ids', 'tag_ids', 'child_ids'] },
      }),
    ),
    door(
      'lines by a specification',
      (ids: Ids) => [{ id: ids.paper, line_ids: [{ id: ids.line, name: 'First' }] }],
      (ids) => ({
        method: 'web_read',
        body: { ids: [ids.paper], specification: { line_ids: { fields: { name: {} }, order: 'amount' } } },
      }),
    ),
    door('fields behind by a specification', refused, (ids) => ({
      method: 'web_read',
      body: { ids: [ids.second], specification: { folder_id: { fields: { memo: {} } } } },
    })),
    door('a closed model by a specification', refused, (ids) => ({
      method: 'web_read',
      body: { ids: [ids.paper], specification: { drawer_id: { fields: { place: {} } } } },
    })),
    door(
      'group by a path',
      [
        ['open', 1],
        [false, 1],
      ],
      () => groups(['folder_id.memo']),
      (found: Group[]) => found.map((group) => [group['folder_id.memo'], group.__count]),
    ),
    door('group by a closed model', refused, () => groups(['drawer_id.place'])),
    door(
      'group by links',
      (ids: Ids) => [
        [[ids.tag, 'Blue'], 1],
        [false, 1],
      ],
      () => groups(['tag_ids']),
      (found: Group[]) => found.map((group) => [group.tag_ids, group.__count]),
    ),
    door('records of groups', refused, () => ({
      method: 'web_read_group',
      body: { domain: [], groupby: ['folder_id'], groupby_read_specification: { folder_id: { memo: {} } } },
    })),
    door(
      'panel',
      (ids: Ids) => [ids.folder],
      () => ({ method: 'search_panel_select_range', body: { field_name: 'folder_id', enable_counters: true } }),
      ({ values }: { values: Group[] }) => values.map(({ id }) => id),
    ),
    door(
      'panel of links',
      (ids: Ids) => [ids.tag],
      () => ({ method: 'search_panel_select_multi_range', body: { field_name: 'tag_ids', enable_counters: true } }),
      ({ values }: { values: Group[] }) => values.map(({ id }) => id),
    ),
    door('panel by groups', refused, () => ({ method: 'search_panel_select_range', body: { field_name: 'drawer_id' } })),
    door('export', refused, (ids) => ({ method: 'export_data', body: { ids: [ids.second], fields_to_export: ['folder_id/memo'] } })),
    door('export of a closed model', refused, (ids) => ({
      method: 'export_data',
      body: { ids: [ids.paper], fields_to_export: ['drawer_id/place'] },
    })),
    door('export of lines and links', { datas: [['First', 'Blue']] }, (ids) => ({
      method: 'export_data',
      body: { ids: [ids.paper], fields_to_export: ['line_ids/name', 'tag_ids/name'] },
    })),
    door('defaults shown by a form', refused, (ids) => ({
      method: 'onchange',
      body: {
        ids: [],
        values: {},
        field_names: [],
        fields_spec: { folder_id: { fields: { memo: {} } } },
        context: { default_folder_id: ids.hiddenFolder },
      },
    })),
    door('a closed model shown by a form', refused, (ids) => ({
      method: 'onchange',
      body: {
        ids: [],
        values: {},
        field_names: [],
        fields_spec: { drawer_id: { fields: { place: {} } } },
        context: { default_drawer_id: ids.drawer },
      },
    })),
    door(
      'defaults',
      (ids: Ids) => ({ folder_id: ids.hiddenFolder }),
      (ids) => ({ method: 'default_get', body: { fields: ['folder_id'], context: { default_folder_id: ids.hiddenFolder } } }),
    ),
    door(
      'import by name',
      false,
      () => ({ method: 'load', body: { fields: ['name', 'tag_ids'], data: [['New', 'Cipher tag A']] } }),
      ({ ids }: { ids: unknown }) => ids,
    ),
    door(
      'import by external id',
      refused,
      () => ({ method: 'load', body: { fields: ['name', 'tag_ids/id'], data: [['New', 'vault.cipher_tag']] } }),
      ({ ids }: { ids: unknown }) => ids,
    ),
    door(
      'import by id',
      false,
      (ids) => ({ method: 'load', body: { fields: ['name', 'tag_ids/.id'], data: [['New', String(ids.hiddenTag)]] } }),
      ({ ids }: { ids: unknown }) => ids,
    ),
    door('definitions of properties', {}, () => ({ method: 'get_property_definition', body: { full_name: 'attributes.sealing' } })),
  ],
  commands: [
    ...[
      ['change a hidden line', 'line_ids', (ids: Ids) => [1, ids.hiddenLine, { name: 'Mine' }]],
      ['remove a hidden line', 'line_ids', (ids: Ids) => [2, ids.hiddenLine]],
      ['take a hidden line', 'line_ids', (ids: Ids) => [4, ids.looseLine]],
      ['name a hidden line among the lines', 'line_ids', (ids: Ids) => [6, 0, [ids.looseLine]]],
      ['change a hidden link', 'tag_ids', (ids: Ids) => [1, ids.hiddenTag, { name: 'Mine' }]],
      ['remove what a hidden link leads to', 'tag_ids', (ids: Ids) => [2, ids.hiddenTag]],
      ['change a hidden child', 'child_ids', (ids: Ids) => [1, ids.hiddenPaper, { name: 'Mine' }]],
      ['take a hidden child', 'child_ids', (ids: Ids) => [4, ids.hiddenPaper]],
    ].map(([title, field, command]) =>
      door(title as string, refused, (ids) => ({
        method: 'write',
        body: { ids: [ids.paper], vals: { [field as string]: [(command as (ids: Ids) => unknown)(ids)] } },
      })),
    ),
    door('create with a hidden link', refused, (ids) => ({
      method: 'create',
      body: { vals_list: [{ name: 'New', tag_ids: [[4, ids.hiddenTag]] }] },
    })),
    door('create with a hidden link by default', refused, (ids) => ({
      method: 'create',
      body: { vals_list: [{ name: 'New' }], context: { default_tag_ids: [[6, 0, [ids.hiddenTag]]] } },
    })),
    door('create with a hidden line', refused, (ids) => ({
      method: 'create',
      body: { vals_list: [{ name: 'New', line_ids: [[4, ids.looseLine]] }] },
    })),
    door('through a parent', refused, (ids) => ({
      model: 'vault.folder',
      method: 'write',
      body: { ids: [ids.folder], vals: { paper_ids: [[1, ids.second, { line_ids: [[1, ids.hiddenLine, { amount: 1 }]] }]] } },
    })),
    door('a hidden record as parent', refused, (ids) => ({
      method: 'write',
      body: { ids: [ids.second], vals: { parent_id: ids.hiddenPaper } },
    })),
  ],
  'files of records': [
    door(
      'search',
      (ids: Ids) => [ids.file],
      () => ({ model: 'ir.attachment', method: 'search', body: { domain: [['res_model', '=', 'vault.paper']] } }),
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
    door('by name', [], () => ({ model: 'ir.attachment', method: 'search', body: { domain: [['name', 'ilike', 'cipher']] } })),
    door(
      'groups',
      [['vault.paper', 1]],
      () => ({
        model: 'ir.attachment',
        method: 'formatted_read_group',
        body: { domain: [['res_model', '=', 'vault.paper']], groupby: ['res_model'], aggregates: ['__count'] },
      }),
      (found: Group[]) => found.map((group) => [group.res_model, group.__count]),
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
    door('unlink', refused, (ids) => ({ model: 'ir.attachment', method: 'unlink', body: { ids: [ids.hiddenFile] } })),
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
  ],
  'models about models': [
    ...['ir.config_parameter', 'ir.rule', 'ir.model.access', 'ir.logging', 'ir.cron', 'ir.mail_server', 'ir.ui.view'].map((model) =>
      door(model, refused, () => ({ model, method: 'search_read', body: { domain: [] } })),
    ),
    door(
      'keys of others',
      (_: Ids, person: string) => (person === 'visitor' ? refused : 0),
      () => ({ model: 'res.users.apikeys', method: 'search_count', body: { domain: [['user_id.login', '=', 'admin']] } }),
    ),
  ],
}
