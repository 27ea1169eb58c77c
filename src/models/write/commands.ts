// x2many commands 0 to 6, gathered over all records of a call and carried out in sets (spec/models-api.md
// section 5, "x2many commands").

import { InvalidValue, MissingError, ValidationError } from '../../errors.ts'
import { isEmptyList, unquoted } from '../../kit/nothing.ts'
import { id, idList, join, sql } from '../../sql/index.ts'
import { noteChange } from '../changes/note.ts'
import { modified } from '../compute/recompute.ts'
import type { Change, FieldDef, LooseRecords, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { existing } from '../load/existing.ts'
import { assertRecords, guardRecords } from '../row/access.ts'
import { assertVals } from '../row/values.ts'
import { recordsOf } from '../unit/records.ts'

type Parsed =
  | { readonly code: 0; readonly vals: Record<string, unknown> }
  | { readonly code: 1; readonly id: number; readonly vals: Record<string, unknown> }
  | { readonly code: 2 | 3 | 4; readonly id: number }
  | { readonly code: 5 }
  | { readonly code: 6; readonly ids: readonly number[] }

/**
 * Carries out the value of an x2many field for each record; commands of a record run in their order, those of
 * many records together. `fresh`: the records were just made, so they have no lines yet.
 */
export async function applyCommands(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
  fresh = false,
): Promise<void> {
  const groups = alike(field, values)
  for (const group of groups) pay(env, field, group)
  const worker = field.kind === 'many2many' ? new Links(env, field) : new Lines(env, field)
  const empty = fresh && !sharesLines(field)
  const longest = groups.reduce((most, { runs }) => Math.max(most, runs.length), 0)
  if (longest > 1) env.unit.spend('rounds', longest)
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
  env.unit.cache.forgetDerived()
  env.unit.cache.forget(field)
}

interface Group {
  readonly runs: readonly Parsed[][]
  readonly owners: number[]
}

/**
 * Records that were given the same commands: mostly the very same list, which is not read again for each of
 * them.
 */
function alike(field: FieldDef, values: ReadonlyMap<number, unknown>): Group[] {
  const byValue = new Map<unknown, Group>()
  const byText = new Map<string, Group>()
  for (const [owner, value] of values) {
    let group = byValue.get(value)
    if (!group) {
      const text = JSON.stringify(value)
      group = byText.get(text) ?? { runs: runsOf(parseCommands(field, value)), owners: [] }
      byText.set(text, group)
      byValue.set(value, group)
    }
    group.owners.push(owner)
  }
  return [...byText.values()]
}

/** Counts what commands ask for before it is taken apart, owner by owner. Throws PayloadTooLarge. */
function pay({ unit }: Environment, { kind }: FieldDef, { runs, owners }: Group): void {
  for (const commands of runs) {
    const code = commands[0]?.code
    // New lines are paid for when they are made: each owner gets its own, or all of them are linked to the
    // same. Changed ones are nobody's own.
    if (code === 0 && kind === 'one2many') unit.foresee('records', commands.length * owners.length)
    else if (code === 1) unit.spend('records', commands.length)
    else
      unit.spend(
        'links',
        owners.length *
          commands.reduce((sum, command) => sum + ('ids' in command ? command.ids.length : 1), 0),
      )
  }
}

/** Whether another field of the model has the same lines, and may have been given some. */
function sharesLines(field: FieldDef): boolean {
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

/**
 * Commands, a list of ids (6), or false and null: nothing for a one2many, none linked for a many2many. Throws
 * InvalidValue for anything else.
 */
export function parseCommands(field: FieldDef, value: unknown): Parsed[] {
  if (value === false || value === null || value === undefined)
    return field.kind === 'many2many' ? [{ code: 5 }] : []
  if (!Array.isArray(value)) throw wrong(field, value)
  if (value.length && value.every((v) => typeof v === 'number'))
    return [{ code: 6, ids: value.map((v) => asId(field, v)) }]
  return value.map((command) => parseCommand(field, command))
}

function parseCommand(field: FieldDef, command: unknown): Parsed {
  if (!Array.isArray(command)) throw wrong(field, command)
  const [code, second, third] = command as unknown[]
  switch (code) {
    case 0:
      return { code, vals: lineVals(third) }
    case 1:
      return { code, id: asId(field, second), vals: lineVals(third) }
    case 2:
    case 3:
    case 4:
      return { code, id: asId(field, second) }
    case 5:
      return { code }
    case 6:
      if (!Array.isArray(third)) throw wrong(field, command)
      return { code, ids: [...new Set(third.map((v) => asId(field, v)))] }
    default:
      throw wrong(field, command)
  }
}

/** Whether commands leave a new record without lines. */
export const linksNothing = (commands: readonly Parsed[]): boolean =>
  commands.every((command) => command.code === 5 || (command.code === 6 && command.ids.length === 0))

/** Values of a line; PHP's empty list is an empty object. */
const lineVals = (vals: unknown) => assertVals(isEmptyList(vals) ? {} : vals)

function asId(field: FieldDef, given: unknown): number {
  const value = unquoted(given)
  if (!Number.isInteger(value))
    throw new InvalidValue(
      `Invalid id ${JSON.stringify(value)} in a command on ${field.model.name}.${field.name}`,
    )
  return value as number
}

function wrong(field: FieldDef, value: unknown): InvalidValue {
  return new InvalidValue(
    `Invalid value for ${field.model.name}.${field.name}: ${JSON.stringify(value)?.slice(0, 80)} is no x2many command`,
  )
}

interface Item {
  readonly command: Parsed
  readonly owners: readonly number[]
}

/** What one2many and many2many have in common. */
abstract class Worker {
  readonly env: Environment
  readonly field: FieldDef
  readonly comodel: ModelDef

  constructor(env: Environment, field: FieldDef) {
    this.env = env.withContext({ ...stripDefaults(env), ...field.options.context })
    this.field = field
    this.comodel = field.comodel as ModelDef
  }

  lines(ids: readonly number[]): LooseRecords {
    return recordsOf(this.env, this.comodel, ids)
  }

  async carryOut(code: number, items: readonly Item[], empty: boolean): Promise<void> {
    if (items.length === 0) return
    const idOf = ({ command }: Item) => ('id' in command ? command.id : 0)
    const pairs = items.flatMap((item) => item.owners.map((owner) => ({ owner, line: idOf(item) })))
    if (code === 0)
      return this.make(
        items.map(({ command, owners }) => ({ vals: 'vals' in command ? command.vals : {}, owners })),
      )
    if (code === 1)
      return this.change(
        items.map((item) => ({ ids: [idOf(item)], vals: 'vals' in item.command ? item.command.vals : {} })),
      )
    if (code === 2) return this.remove([...new Set(items.map(idOf))])
    if (code === 3) return this.detach(pairs)
    if (code === 4) return this.attach(pairs)
    const wanted = new Map(
      items.flatMap(({ command, owners }) =>
        owners.map((owner) => [owner, 'ids' in command ? command.ids : []] as const),
      ),
    )
    if (!empty) return this.replace(wanted)
    const first = [...wanted].flatMap(([owner, lines]) => lines.map((line) => ({ owner, line })))
    if (first.length) await this.attach(first)
  }

  async change(changes: readonly Change[]): Promise<void> {
    const lines = changes.flatMap(({ ids }) => ids)
    await guardRecords(this.env, this.comodel, lines, 'write', () => goneLine(this.comodel))
    await this.env.unit.registry.engine.writeEach(this.env, this.comodel, changes)
  }

  async remove(lines: readonly number[]): Promise<void> {
    const there = await existing(this.env, this.comodel, lines)
    if (there.length) await this.lines(there).unlink()
  }

  abstract make(items: readonly { vals: Record<string, unknown>; owners: readonly number[] }[]): Promise<void>
  abstract attach(pairs: readonly Pair[]): Promise<void>
  abstract detach(pairs: readonly Pair[]): Promise<void>
  abstract replace(wanted: ReadonlyMap<number, readonly number[]>): Promise<void>
}

interface Pair {
  readonly owner: number
  readonly line: number
}

const goneLine = (model: ModelDef) =>
  new MissingError(`Record does not exist or has been deleted (${model.name}).`)

/** `default_*` keys are meant for the outer records. */
function stripDefaults(env: Environment): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(env.context).flatMap((key) => (key.startsWith('default_') ? [[key, undefined]] : [])),
  )
}

/** One2many: lines hold the way back. */
class Lines extends Worker {
  get back(): FieldDef {
    return this.comodel.fields.get(this.field.inverse as string) as FieldDef
  }

  /** Values that tie a line to its owner. */
  tie(owner: number): Record<string, unknown> {
    const model = this.back.options.modelField
    return { [this.back.name]: owner, ...(model ? { [model]: this.field.model.name } : {}) }
  }

  async make(items: readonly { vals: Record<string, unknown>; owners: readonly number[] }[]): Promise<void> {
    await this.lines([]).create(
      items.flatMap(({ vals, owners }) => owners.map((owner) => ({ ...vals, ...this.tie(owner) }))),
    )
  }

  async attach(pairs: readonly Pair[]): Promise<void> {
    const there = new Set(await existing(this.env, this.comodel, [...new Set(pairs.map((p) => p.line))]))
    if (pairs.some((p) => !there.has(p.line))) throw goneLine(this.comodel)
    // A line that several owners ask for goes to the last of them.
    const moved = await this.#elsewhere(new Map(pairs.map(({ owner, line }) => [line, owner])))
    const byOwner = Map.groupBy(moved, ([, owner]) => owner)
    await this.env.unit.registry.engine.writeEach(
      this.env,
      this.comodel,
      [...byOwner].map(([owner, lines]) => ({ ids: lines.map(([line]) => line), vals: this.tie(owner) })),
    )
  }

  /**
   * Lines, with the owner they are to get, that another owner, or none, has; hidden ones are refused like any
   * other write.
   */
  async #elsewhere(wanted: ReadonlyMap<number, number>): Promise<[number, number][]> {
    const { name, options } = this.back
    const lines = [...wanted.keys()]
    const other = options.modelField
      ? sql` OR t.${id(options.modelField)} IS DISTINCT FROM ${this.field.model.name}`
      : sql``
    const rows = await this.env.query(
      sql`SELECT t."id", x.owner FROM unnest(${lines}::int[], ${[...wanted.values()]}::int[]) AS x(id, owner)
        JOIN ${id(this.comodel.table)} AS t ON t."id" = x.id WHERE t.${id(name)} IS DISTINCT FROM x.owner${other}`,
    )
    if (rows.length < lines.length) await assertRecords(this.env, this.comodel, lines, 'write')
    return rows as unknown as [number, number][]
  }

  async detach(pairs: readonly Pair[]): Promise<void> {
    const own = await this.#ownedBy(new Set(pairs.map((p) => p.owner)))
    const lines = pairs.filter((p) => own.get(p.line) === p.owner).map((p) => p.line)
    if (lines.length === 0) return
    const goes = this.back.required || this.back.options.ondelete === 'cascade'
    if (goes) await this.lines(lines).unlink()
    else await this.lines(lines).write({ [this.back.name]: false })
  }

  async replace(wanted: ReadonlyMap<number, readonly number[]>): Promise<void> {
    const own = await this.#ownedBy(wanted.keys())
    const surplus = surplusOf(
      [...own].map(([line, owner]) => ({ owner, line })),
      wanted,
    )
    await this.detach(surplus)
    const pairs = [...wanted].flatMap(([owner, lines]) =>
      lines.filter((line) => own.get(line) !== owner).map((line) => ({ owner, line })),
    )
    if (pairs.length) await this.attach(pairs)
  }

  /** Visible lines of the owners, archived ones included: line → owner. */
  async #ownedBy(owners: Iterable<number>): Promise<Map<number, number>> {
    const name = this.back.name
    const set = recordsOf(this.env.withContext({ active_test: false }), this.comodel, [])
    const lines = await set.search([[name, 'in', [...owners]], ...(this.field.options.domain ?? [])])
    const rows = await lines.sudo().load([name])
    return new Map(rows.map((row) => [row.id as number, (row[name] as { id: number }).id]))
  }
}

/** Many2many: pairs in the link table. */
class Links extends Worker {
  get #link() {
    return this.field.link as NonNullable<FieldDef['link']>
  }

  async make(items: readonly { vals: Record<string, unknown>; owners: readonly number[] }[]): Promise<void> {
    const made = await this.lines([]).create(items.map(({ vals }) => vals))
    await this.attach(
      items.flatMap(({ owners }, i) => owners.map((owner) => ({ owner, line: made.ids[i] as number }))),
    )
  }

  async attach(pairs: readonly Pair[]): Promise<void> {
    if (pairs.length === 0) return
    const lines = pairs.map((p) => p.line)
    await guardRecords(this.env, this.comodel, lines, 'read', () => {
      return new ValidationError(
        `A record of ${this.comodel.label} (${this.comodel.name}) that does not exist cannot be linked.`,
      )
    })
    const { table, column, other } = this.#link
    const rows = JSON.stringify(pairs.map(({ owner, line }) => ({ a: owner, b: line })))
    this.env.unit.send(
      sql`INSERT INTO ${id(table)} (${join([id(column), id(other)])}) SELECT a, b FROM jsonb_to_recordset(${rows}::jsonb) AS x(a int, b int) ON CONFLICT DO NOTHING`,
    )
    await this.#changed(pairs)
  }

  async detach(pairs: readonly Pair[]): Promise<void> {
    const { table, column, other } = this.#link
    const rows = JSON.stringify(pairs.map(({ owner, line }) => ({ a: owner, b: line })))
    await this.#changed(pairs)
    this.env.unit.send(
      sql`DELETE FROM ${id(table)} USING jsonb_to_recordset(${rows}::jsonb) AS x(a int, b int) WHERE ${id(column)} = x.a AND ${id(other)} = x.b`,
    )
  }

  /** Hidden links stay as they are (spec/wire.md section 9, "x2many values"). */
  async replace(wanted: ReadonlyMap<number, readonly number[]>): Promise<void> {
    const { table, column, other } = this.#link
    const rows = await this.env.query(
      sql`SELECT ${id(column)}, ${id(other)} FROM ${id(table)} WHERE ${id(column)} = ANY(${idList([...wanted.keys()])})`,
    )
    const linked = rows.map((row) => ({ owner: row[0] as number, line: row[1] as number }))
    const surplus = surplusOf(linked, wanted)
    const visible = surplus.length && !this.env.su ? await this.#visible(surplus.map((p) => p.line)) : null
    const gone = visible ? surplus.filter((p) => visible.has(p.line)) : surplus
    if (gone.length) await this.detach(gone)
    const there = new Set(linked.map(({ owner, line }) => `${owner}/${line}`))
    await this.attach(
      [...wanted].flatMap(([owner, lines]) =>
        lines.filter((line) => !there.has(`${owner}/${line}`)).map((line) => ({ owner, line })),
      ),
    )
  }

  async #visible(lines: readonly number[]): Promise<Set<number>> {
    const set = recordsOf(this.env.withContext({ active_test: false }), this.comodel, [])
    return new Set((await set.search([['id', 'in', lines]])).ids)
  }

  async #changed(pairs: readonly Pair[]): Promise<void> {
    const owners = [...new Set(pairs.map((p) => p.owner))]
    noteChange(this.env, this.field.model, 'u', owners, [this.field])
    await modified(this.env, [this.field], owners)
    const twin = [...this.comodel.fields.values()].find(
      (f) => f.link?.table === this.#link.table && f.link.column === this.#link.other,
    )
    const lines = [...new Set(pairs.map((p) => p.line))]
    if (twin) noteChange(this.env, twin.model, 'u', lines, [twin])
    if (twin) await modified(this.env, [twin], lines)
  }
}

/** Pairs that are there and not wanted. */
function surplusOf(there: Iterable<Pair>, wanted: ReadonlyMap<number, readonly number[]>): Pair[] {
  const kept = new Map([...wanted].map(([owner, lines]) => [owner, new Set(lines)]))
  return [...there].filter(({ owner, line }) => !kept.get(owner)?.has(line))
}
