// Hidden records and closed models through relations.
import type { Ids } from '../vault-stage.ts'
import { finds, type Group, groups, only, type Probe, probe, refused, search, visible } from './probe.ts'

export const relationProbes: readonly Probe[] = [
  finds('whether lines are there', () => [['line_ids', '=', false]], only('second')),
  finds('whether children are there', () => [['child_ids', '!=', false]], []),
  finds('whether links are there', () => [['tag_ids', '!=', false]], only('paper')),
  finds('ids of lines', (ids) => [['line_ids', 'in', [ids.hiddenLine, ids.looseLine]]], []),
  finds('ids of links', (ids) => [['tag_ids', '=', ids.hiddenTag]], []),
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
  finds('what lies above a hidden record', (ids) => [['id', 'parent_of', ids.hiddenPaper]], []),
  finds('what lies above a hidden child', (ids) => [['child_ids', 'parent_of', ids.hiddenPaper]], []),
  probe('order by what is in hidden records', visible, () => search([], { order: 'folder_id' })),
  probe('order by what is in hidden records, turned round', only('second', 'paper'), () =>
    search([], { order: 'folder_id desc' }),
  ),
  probe(
    'order of groups by what is in hidden records',
    (ids: Ids) => [ids.folder, ids.hiddenFolder],
    () => groups(['folder_id']),
    (groups: Group[]) => groups.map(({ folder_id }) => (folder_id as [number, string])[0]),
  ),
  finds('a model that is closed', () => [['drawer_id.place', 'ilike', 'attic']], refused),
  finds('names of a model that is closed', () => [['drawer_id', 'ilike', 'left']], refused),
  finds('any of a model that is closed', () => [['drawer_id', 'any', []]], refused),
  probe(
    'lines',
    (ids: Ids) => [{ id: ids.paper, line_ids: [ids.line], tag_ids: [ids.tag], child_ids: [] }],
    (ids) => ({
      method: 'read',
      body: { ids: [ids.paper], fields: ['line_ids', 'tag_ids', 'child_ids'] },
    }),
  ),
  probe(
    'lines by a specification',
    (ids: Ids) => [{ id: ids.paper, line_ids: [{ id: ids.line, name: 'First' }] }],
    (ids) => ({
      method: 'web_read',
      body: { ids: [ids.paper], specification: { line_ids: { fields: { name: {} }, order: 'amount' } } },
    }),
  ),
  probe('fields behind by a specification', refused, (ids) => ({
    method: 'web_read',
    body: { ids: [ids.second], specification: { folder_id: { fields: { memo: {} } } } },
  })),
  probe('a closed model by a specification', refused, (ids) => ({
    method: 'web_read',
    body: { ids: [ids.paper], specification: { drawer_id: { fields: { place: {} } } } },
  })),
  probe(
    'group by a path',
    [
      ['open', 1],
      [false, 1],
    ],
    () => groups(['folder_id.memo']),
    (groups: Group[]) => groups.map((group) => [group['folder_id.memo'], group.__count]),
  ),
  probe('group by a closed model', refused, () => groups(['drawer_id.place'])),
  probe(
    'group by links',
    (ids: Ids) => [
      [[ids.tag, 'Blue'], 1],
      [false, 1],
    ],
    () => groups(['tag_ids']),
    (groups: Group[]) => groups.map((group) => [group.tag_ids, group.__count]),
  ),
  probe('records of groups', refused, () => ({
    method: 'web_read_group',
    body: { domain: [], groupby: ['folder_id'], groupby_read_specification: { folder_id: { memo: {} } } },
  })),
  probe(
    'panel',
    (ids: Ids) => [ids.folder],
    () => ({ method: 'search_panel_select_range', body: { field_name: 'folder_id', enable_counters: true } }),
    ({ values }: { values: Group[] }) => values.map(({ id }) => id),
  ),
  probe(
    'panel of links',
    (ids: Ids) => [ids.tag],
    () => ({
      method: 'search_panel_select_multi_range',
      body: { field_name: 'tag_ids', enable_counters: true },
    }),
    ({ values }: { values: Group[] }) => values.map(({ id }) => id),
  ),
  probe('panel by groups', refused, () => ({
    method: 'search_panel_select_range',
    body: { field_name: 'drawer_id' },
  })),
  probe('export', refused, (ids) => ({
    method: 'export_data',
    body: { ids: [ids.second], fields_to_export: ['folder_id/memo'] },
  })),
  probe('export of a closed model', refused, (ids) => ({
    method: 'export_data',
    body: { ids: [ids.paper], fields_to_export: ['drawer_id/place'] },
  })),
  probe('export of lines and links', { datas: [['First', 'Blue']] }, (ids) => ({
    method: 'export_data',
    body: { ids: [ids.paper], fields_to_export: ['line_ids/name', 'tag_ids/name'] },
  })),
  probe('defaults shown by a form', refused, (ids) => ({
    method: 'onchange',
    body: {
      ids: [],
      values: {},
      field_names: [],
      fields_spec: { folder_id: { fields: { memo: {} } } },
      context: { default_folder_id: ids.hiddenFolder },
    },
  })),
  probe('a closed model shown by a form', refused, (ids) => ({
    method: 'onchange',
    body: {
      ids: [],
      values: {},
      field_names: [],
      fields_spec: { drawer_id: { fields: { place: {} } } },
      context: { default_drawer_id: ids.drawer },
    },
  })),
  probe(
    'defaults',
    (ids: Ids) => ({ folder_id: ids.hiddenFolder }),
    (ids) => ({
      method: 'default_get',
      body: { fields: ['folder_id'], context: { default_folder_id: ids.hiddenFolder } },
    }),
  ),
  probe(
    'import by name',
    false,
    () => ({ method: 'load', body: { fields: ['name', 'tag_ids'], data: [['New', 'Cipher tag A']] } }),
    ({ ids }: { ids: unknown }) => ids,
  ),
  probe(
    'import by external id',
    false,
    () => ({ method: 'load', body: { fields: ['name', 'tag_ids/id'], data: [['New', 'vault.cipher_tag']] } }),
    ({ ids }: { ids: unknown }) => ids,
  ),
  probe(
    'import by id',
    false,
    (ids) => ({
      method: 'load',
      body: { fields: ['name', 'tag_ids/.id'], data: [['New', String(ids.hiddenTag)]] },
    }),
    ({ ids }: { ids: unknown }) => ids,
  ),
  probe('definitions of properties', {}, () => ({
    method: 'get_property_definition',
    body: { full_name: 'attributes.sealing' },
  })),
]
