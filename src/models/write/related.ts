// Writing of related fields: the value goes to the record at the end of the path.

import { InvalidValue } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { recordsOf } from '../unit/environment.ts'

/** Writes values of a related field, by record, at the end of its path. */
export async function writeRelated(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
): Promise<void> {
  const path = present(field.related)
  let model = field.model
  let ends = new Map([...values.keys()].map((record) => [record, record]))
  for (const name of path.slice(0, -1)) {
    const step = model.fields.get(name)
    if (!step?.comodel) throw new InvalidValue(`${field.model.name}.${field.name} cannot be written.`)
    const rows = await recordsOf(env, model, [...new Set(ends.values())]).load([name])
    const next = new Map(rows.map((row) => [row.id as number, (row[name] as { id: number } | null)?.id]))
    ends = new Map(
      [...ends].flatMap(([record, at]) => (next.get(at) ? [[record, present(next.get(at))]] : [])),
    )
    model = step.comodel
  }
  const name = present(path.at(-1))
  const alike = Map.groupBy(ends, ([record]) => JSON.stringify(values.get(record) ?? null))
  await env.unit.registry.engine.writeEach(
    env,
    model,
    [...alike.values()].map((pairs) => ({
      ids: [...new Set(pairs.map(([, end]) => end))],
      vals: { [name]: values.get(present(pairs[0])[0]) },
    })),
  )
}
