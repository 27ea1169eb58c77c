// Commands on hidden lines and links.
import type { Ids } from '../vault-stage.ts'
import { type Probe, probe, refused } from './probe.ts'

export const commandProbes: readonly Probe[] = [
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
    probe(title as string, refused, (ids) => ({
      method: 'write',
      body: { ids: [ids.paper], vals: { [field as string]: [(command as (ids: Ids) => unknown)(ids)] } },
    })),
  ),
  probe('create with a hidden link', refused, (ids) => ({
    method: 'create',
    body: { vals_list: [{ name: 'New', tag_ids: [[4, ids.hiddenTag]] }] },
  })),
  probe('create with a hidden link by default', refused, (ids) => ({
    method: 'create',
    body: { vals_list: [{ name: 'New' }], context: { default_tag_ids: [[6, 0, [ids.hiddenTag]]] } },
  })),
  probe('create with a hidden line', refused, (ids) => ({
    method: 'create',
    body: { vals_list: [{ name: 'New', line_ids: [[4, ids.looseLine]] }] },
  })),
  probe('through a parent', refused, (ids) => ({
    model: 'vault.folder',
    method: 'write',
    body: {
      ids: [ids.folder],
      vals: { paper_ids: [[1, ids.second, { line_ids: [[1, ids.hiddenLine, { amount: 1 }]] }]] },
    },
  })),
  probe('a hidden record as parent', refused, (ids) => ({
    method: 'write',
    body: { ids: [ids.second], vals: { parent_id: ids.hiddenPaper } },
  })),
]
