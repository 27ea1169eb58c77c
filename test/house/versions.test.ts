// Versions of modules: an upgrade looks for what is new in those whose version rose. The columns that each
// module keeps are noted with its version (versions.json); other columns need another version.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { registryOf } from '../../src/databases/database-state.ts'
import { modules } from '../../src/main.ts'
import type { FieldDef } from '../../src/models/language/definitions.ts'

const NOTED = new URL('versions.json', import.meta.url)

/** A column as the table has it. */
const columnOf = ({ model, name, kind, required }: FieldDef): string =>
  `${model.name}.${name} ${kind}${required ? ' required' : ''}`

/** The version and the columns of each module, as a digest. */
function standing(): Record<string, readonly [version: string, columns: string]> {
  const registry = registryOf(modules, new Set(modules.map(({ name }) => name)))
  const columns = [...registry.models.values()]
    .filter(({ hasTable }) => hasTable)
    .flatMap(({ fields }) => [...fields.values()].filter(({ column }) => column))
  const byModule = Map.groupBy(columns, ({ module }) => module ?? '')
  return Object.fromEntries(
    modules.map(({ name, version }) => {
      const lines = (byModule.get(name) ?? []).map(columnOf).sort()
      return [name, [version, createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)]]
    }),
  )
}

test('versions: a module whose columns are others than before has another version', () => {
  const now = standing()
  if (process.env.COMPTOIR_NOTE_VERSIONS) writeFileSync(NOTED, `${JSON.stringify(now, null, 2)}\n`)
  const noted = JSON.parse(readFileSync(NOTED, 'utf8')) as typeof now
  for (const [name, [version, columns]] of Object.entries(now)) {
    const [before, as] = noted[name] ?? []
    assert.ok(
      as === columns || before !== version,
      `${name}: raise its version (src/modules/${name}/index.ts)`,
    )
  }
  assert.deepEqual(now, noted, 'note it: COMPTOIR_NOTE_VERSIONS=1 npm test -- --only house/versions')
})
