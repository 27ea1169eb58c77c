// x2many commands gathered over all records of a call and carried out in sets (spec/models-api.md section 5,
// "x2many commands").
import type { FieldDef, X2manyDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { keepLists } from '../../load/decide.ts'
import { Lines, Links } from './lists.ts'
import { type Parsed, parseCommands } from './parse.ts'
import type { Item } from './worker.ts'

export { leavesNoLines, parseCommands } from './parse.ts'

/**
 * Carries out the value of an x2many field for each record; commands of a record run in their order, those of
 * many records together. `fresh`: the records were just made, so they have no lines yet.
 */
export async function applyCommands(
  env: Environment,
  field: X2manyDef,
  values: ReadonlyMap<number, unknown>,
  fresh = false,
): Promise<void> {
  const groups = alike(field, values, fresh)
  for (const group of groups) pay(env, field, group)
  const worker = field.kind === 'many2many' ? new Links(env, field) : new Lines(env, field)
  const empty = fresh && !sharesLines(field)
  const longest = groups.reduce((most, { runs }) => Math.max(most, runs.length), 0)
  if (longest > 1) env.unit.quota.charge('rounds', longest)
  for (let step = 0; step < longest; step++) {
    const byCode = new Map<number, Item[]>()
    for (const { runs, owners } of groups) {
      for (const command of runs[step] ?? []) {
        const items = byCode.get(command.code) ?? []
        items.push({ command, owners })
        byCode.set(command.code, items)
      }
    }
    for (const [code, items] of byCode) await worker.carryOut(code, items, empty && step === 0)
  }
  const isMade = empty && longest === 1 && worker instanceof Lines && worker.isAlone
  // Nothing was asked for, or what follows from lines that were made was forgotten when they were.
  if (!isMade && longest > 0) {
    env.unit.cache.forgetDerived()
    env.unit.cache.forget(field)
    return
  }
  if (!empty) return
  env.unit.cache.forget(field, values.keys())
  const lines = new Map<number, number[]>([...values.keys()].map((owner) => [owner, []]))
  if (worker instanceof Lines) for (const { owner, line } of worker.created) lines.get(owner)?.push(line)
  keepLists(env, field, lines)
}

interface Group {
  readonly runs: readonly Parsed[][]
  readonly owners: number[]
}

/** Records with the same commands: mostly the very same list, which is read once. */
function alike(field: X2manyDef, values: ReadonlyMap<number, unknown>, isNew: boolean): Group[] {
  const byValue = new Map<unknown, Group>()
  const byText = new Map<string, Group>()
  const separate: Group[] = []
  for (const [owner, value] of values) {
    // Each new record is linked to one of its own, as if it were made alone.
    if (isNew && field.link && makes(value)) {
      separate.push({ runs: runsOf(parseCommands(field, value)), owners: [owner] })
      continue
    }
    let group = byValue.get(value)
    if (!group) {
      const text = JSON.stringify(value)
      group = byText.get(text) ?? { runs: runsOf(parseCommands(field, value)), owners: [] }
      byText.set(text, group)
      byValue.set(value, group)
    }
    group.owners.push(owner)
  }
  return [...byText.values(), ...separate]
}

const makes = (value: unknown): boolean =>
  Array.isArray(value) && value.some((command) => Array.isArray(command) && command[0] === 0)

/** Counts what commands ask for before it is taken apart, owner by owner. Throws PayloadTooLarge. */
function pay({ unit }: Environment, { kind }: FieldDef, { runs, owners }: Group): void {
  for (const commands of runs) {
    const code = commands[0]?.code
    // Created records count when they are inserted: one for each owner, or one that all owners link to.
    // Changed records belong to no owner.
    if (code === 0 && kind === 'one2many') unit.quota.reserve('records', commands.length * owners.length)
    else if (code === 1) unit.quota.charge('records', commands.length)
    else
      unit.quota.charge(
        'links',
        owners.length *
          commands.reduce((sum, command) => sum + ('ids' in command ? command.ids.length : 1), 0),
      )
  }
}

/** Whether another field of the model has the same lines, and may have been given some. */
function sharesLines(field: X2manyDef): boolean {
  const { link, inverse, comodel } = field
  return [...field.model.fields.values()].some(
    (other) =>
      other !== field &&
      (link ? other.link?.table === link.table : other.comodel === comodel && other.inverse === inverse),
  )
}

/** Commands split where the next one is of another kind, or must not be done together with those before. */
function runsOf(commands: readonly Parsed[]): Parsed[][] {
  const runs: Parsed[][] = []
  let changed = new Set<number>()
  for (const command of commands) {
    const last = runs.at(-1)
    const alike = last?.[0]?.code === command.code && [0, 1, 2, 3, 4].includes(command.code)
    if (last && alike && !(command.code === 1 && changed.has(command.id))) last.push(command)
    else {
      runs.push([command])
      changed = new Set()
    }
    if (command.code === 1) changed.add(command.id)
  }
  return runs
}
