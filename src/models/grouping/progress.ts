// Progress bars: how many records of each colour a group has (`read_progress_bar`).

import { InvalidValue } from '../../errors.ts'
import { Pace } from '../../kit/pace.ts'
import { present } from '../../kit/present.ts'
import { assertWithin } from '../../limits.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Tree } from '../language/tree.ts'
import { parseGroups } from './properties.ts'
import { readGroups } from './query.ts'

export type Progress = Record<string, Record<string, number>>

/**
 * `{"group as text": {colour key: count}}`; keys without records count 0. Throws InvalidValue for a bar of
 * the wrong shape.
 */
export async function readProgress(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  groupBy: unknown,
  bar: unknown,
): Promise<Progress> {
  const { field, colors } = (typeof bar === 'object' && bar !== null ? bar : {}) as Record<string, unknown>
  if (typeof field !== 'string' || typeof colors !== 'object' || colors === null || Array.isArray(colors)) {
    throw new InvalidValue('progress_bar must be an object with a field and its colors')
  }
  if (typeof groupBy !== 'string') throw new InvalidValue('group_by must be a text')
  // Every group gets all of them.
  assertWithin('colors', Object.keys(colors).length)
  const specs = await parseGroups(env, model, [...new Set([groupBy, field])])
  const { rows } = await readGroups(env, model, domain, specs, [], { last: true })
  const empty = Object.fromEntries(Object.keys(colors).map((color) => [color, 0]))
  const width = Object.keys(empty).length + 1
  const pace = new Pace()
  const bars: Progress = {}
  for (const { keys, count } of rows) {
    const group = textOf(keys[0])
    if (!Object.hasOwn(bars, group)) {
      env.unit.shown.add(width)
      bars[group] = { ...empty }
      await pace.step()
    }
    const counts = present(bars[group])
    const color = textOf(keys.at(-1))
    if (Object.hasOwn(counts, color)) counts[color] = (counts[color] ?? 0) + count
  }
  return bars
}

/** A key as existing clients look it up: booleans are `True` and `False`, and so is unset. */
function textOf(key: unknown): string {
  if (key === true) return 'True'
  return key === null || key === false ? 'False' : String(key)
}
