// Values that are written in a form in which others were written before: plain ones, from which nothing
// follows. What a module puts around writes of them is asked for in the question that judges the caller
// (docs/decisions/0072).

import { Recent } from '../../../kit/recent.ts'
import { noteChange } from '../../changes/note.ts'
import type { Change, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { guardRecords } from '../../row/access.ts'
import { isSame } from '../../row/plans.ts'
import { spendTexts, weightOf } from '../../row/values.ts'
import { update } from '../update.ts'
import { columnsOf } from './columns.ts'
import { formKey, hooksOf, MOST_TEXT, type Vals } from './form.ts'
import type { Columns } from './row.ts'
import { prepared, type WritePlan, writePlan } from './write-plan.ts'

/** Forms that are kept; those not written for the longest time go. */
const CAPACITY = 1000

/** Records that are written at once in this way. */
const MOST_RECORDS = 100

/** How often a form is looked at of which modules did more: that may have been for the records. */
const MOST_TRIES = 3

/** How often modules are believed to be about records of a form once they were. */
const BELIEVED = 20

interface Shape {
  /** Null as long as it is not known, and for good once it was looked at so often. */
  readonly plan: WritePlan | null
  readonly tries: number
  /** Times that it is left out. */
  left: number
}

const shapes = new Recent<string, Shape>(CAPACITY)

/** Writes values in the known way, or by `whole`. Only for a unit that has looked at nothing yet. */
export async function writeKnown(
  env: Environment,
  model: ModelDef,
  { ids, vals }: Change,
  whole: () => Promise<void>,
): Promise<void> {
  const key = ids.length && ids.length <= MOST_RECORDS ? formKey(env, model, 'write', vals) : null
  const shape = key === null ? undefined : shapes.get(key)
  if (key === null || (shape && !shape.plan && shape.tries >= MOST_TRIES)) return whole()
  if (shape?.plan) {
    if (shape.left-- > 0) return whole()
    const refused = () => {
      shape.left = BELIEVED
    }
    if (await write(shape.plan, env, model, { ids, vals: vals as Vals, refused })) {
      shape.left = 0
      return
    }
    shape.left = BELIEVED
    return whole()
  }
  const hooks = hooksOf(env)
  const isFirst = !env.unit.changes?.length
  await whole()
  if (isFirst && hooksOf(env) === hooks && env.unit.pending.size === 0)
    learn(key, env, model, vals as Vals, ids)
}

/**
 * The columns of the values; null where they are for the whole way. So are those that do not fit: callers who
 * may not write the records are told of that first.
 */
function fittingColumns(
  { fields }: WritePlan,
  env: Environment,
  model: ModelDef,
  { ids, vals }: { readonly ids: readonly number[]; readonly vals: Vals },
): Columns | null {
  try {
    const columns = columnsOf(fields, prepared(env, model, vals, ids))
    return columns && weightOf({ columns }) * ids.length <= MOST_TEXT ? columns : null
  } catch {
    return null
  }
}

/** False where the records or the values are for the whole way, and nothing is done. */
async function write(
  plan: WritePlan,
  env: Environment,
  model: ModelDef,
  { ids, vals, refused }: { readonly ids: readonly number[]; readonly vals: Vals; refused(): void },
): Promise<boolean> {
  const { unit } = env
  const columns = fittingColumns(plan, env, model, { ids, vals })
  if (!columns) return false
  const asked = ids.length === 1 ? plan.one : plan.many
  if (asked) {
    const isStaked = unit.stake({ ...asked.stake(ids), refused })
    if (!isStaked && (await unit.ask(asked.question(ids))) !== 0) return false
  } else await guardRecords(env, model, ids, 'write', 'refuse')
  spendTexts(env, { columns }, ids.length)
  const fields = [...columns.keys()]
  noteChange(env, model, 'u', ids, fields)
  update(env, model, ids, { columns })
  unit.written(model, fields, ids)
  unit.rejudge()
  return true
}

/** Remembers the form, where all that the whole way told of was this change. */
function learn(key: string, env: Environment, model: ModelDef, vals: Vals, ids: readonly number[]): void {
  const plan = writePlan(env, model, vals, ids)
  const told = env.unit.changes?.rows() ?? []
  const [only] = told
  const names = (fields: readonly string[]) => fields.toSorted().join()
  const isAlone =
    told.length === 0 ||
    (told.length === 1 &&
      only?.op === 'u' &&
      only.model === model.name &&
      isSame(
        only.ids,
        ids.toSorted((a, b) => a - b),
      ) &&
      names(only.fields) === names([...(plan?.fields.keys() ?? [])]))
  const tries = plan ? (shapes.get(key)?.tries ?? 0) + 1 : MOST_TRIES
  shapes.set(key, { plan: isAlone ? plan : null, tries, left: 0 })
}
