// Commands on a one2many, whose lines are created, moved and removed, and on a many2many, whose pairs are
// put into the link table and taken out of it.

import { ValidationError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { id, idList, join, sql } from '../../../sql/index.ts'
import { linkTouchesOf } from '../../changes/log.ts'
import { noteChange } from '../../changes/note.ts'
import { modified } from '../../compute/recompute.ts'
import type { FieldDef, Ids, Many2manyDef, ModelDef, One2manyDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { fieldOf, leadsToOne, linkOf, modelFieldOf } from '../../language/field-options.ts'
import { assertExisting } from '../../load/links.ts'
import { isIdentity } from '../../rights/key-scope.ts'
import { assertRecords, guardRecords } from '../../row/access.ts'
import { recordsOf } from '../../unit/environment.ts'
import { authorizeWrite } from '../authorize.ts'
import { createByCaller, type Making, type Pair, unlinkByCaller, unwantedPairs, Worker } from './worker.ts'

export class Lines extends Worker<One2manyDef> {
  readonly created: Pair[] = []
  /** Nothing but the lines was made, and nothing but amounts of them written. */
  isAlone = false

  get back(): FieldDef {
    return fieldOf(this.comodel, this.field.inverse)
  }

  tie(owner: number): Record<string, unknown> {
    const model = modelFieldOf(this.back)
    return { [this.back.name]: owner, ...(model ? { [model]: this.field.model.name } : {}) }
  }

  async make(items: readonly Making[]): Promise<void> {
    const owners = items.flatMap((item) => item.owners)
    const before = linkTouchesOf(this.env.unit, this.comodel)
    const list = items.flatMap(({ vals, owners }) => owners.map((owner) => ({ ...vals, ...this.tie(owner) })))
    const ids = await createByCaller(this.env, this.comodel, list)
    // Modules may create or change further lines.
    this.isAlone = linkTouchesOf(this.env.unit, this.comodel) === before + 1
    for (const [n, line] of ids.entries()) this.created.push({ owner: present(owners[n]), line })
  }

  async attach(pairs: readonly Pair[]): Promise<void> {
    const lines = pairs.map(({ line }) => line)
    await assertExisting(this.env, this.comodel, lines)
    // A line that several owners ask for goes to the last of them.
    const moved = await this.#elsewhere(new Map(pairs.map(({ owner, line }) => [line, owner])))
    const byOwner = Map.groupBy(moved, ([, owner]) => owner)
    const changes = [...byOwner].map(([owner, lines]) => ({
      ids: lines.map(([line]) => line),
      vals: this.tie(owner),
    }))
    await this.env.unit.registry.engine.writeEach(this.env, this.comodel, changes)
  }

  /** Lines that do not have the owner they are to get yet; hidden ones are refused. */
  async #elsewhere(wanted: ReadonlyMap<number, number>): Promise<[number, number][]> {
    const { name } = this.back
    const by = modelFieldOf(this.back)
    const lines = [...wanted.keys()]
    const other = by ? sql` OR t.${id(by)} IS DISTINCT FROM ${this.field.model.name}` : sql``
    const rows = await this.env.query<[number, number]>(
      sql`SELECT t."id", x.owner FROM unnest(${lines}::int[], ${[...wanted.values()]}::int[]) AS x(id, owner)
        JOIN ${id(this.comodel.table)} AS t ON t."id" = x.id WHERE t.${id(name)} IS DISTINCT FROM x.owner${other}`,
    )
    if (rows.length < lines.length) await assertRecords(this.env, this.comodel, lines, 'write')
    return rows.map(([line, owner]) => [line, owner])
  }

  /** A line that is already gone is reported like any other that a command names. */
  override async remove(lines: Ids): Promise<void> {
    await assertExisting(this.env, this.comodel, lines)
    await unlinkByCaller(this.env, this.comodel, lines)
  }

  async detach(pairs: readonly Pair[]): Promise<void> {
    const ownerOf = await this.#ownedBy(new Set(pairs.map((p) => p.owner)))
    const lines = pairs.filter((p) => ownerOf.get(p.line) === p.owner).map((p) => p.line)
    if (lines.length === 0) return
    const goes = this.back.required || (leadsToOne(this.back) && this.back.options.ondelete === 'cascade')
    if (goes) await unlinkByCaller(this.env, this.comodel, lines)
    else
      await this.env.unit.registry.engine.writeEach(this.env, this.comodel, [
        { ids: lines, vals: { [this.back.name]: false } },
      ])
  }

  async replace(wanted: ReadonlyMap<number, Ids>): Promise<void> {
    const ownerOf = await this.#ownedBy(wanted.keys())
    const owned = [...ownerOf].map(([line, owner]) => ({ owner, line }))
    const surplus = unwantedPairs(owned, wanted)
    await this.detach(surplus)
    const pairs = [...wanted].flatMap(([owner, lines]) =>
      lines.filter((line) => ownerOf.get(line) !== owner).map((line) => ({ owner, line })),
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

export class Links extends Worker<Many2manyDef> {
  get #link() {
    return linkOf(this.field)
  }

  async make(items: readonly Making[]): Promise<void> {
    const list = items.map(({ vals }) => vals)
    const lines = await createByCaller(this.env, this.comodel, list)
    await this.attach(
      items.flatMap(({ owners }, i) => owners.map((owner) => ({ owner, line: present(lines[i]) }))),
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
    this.#note(pairs)
    this.env.unit.send(
      sql`INSERT INTO ${id(table)} (${join([id(column), id(other)])}) SELECT a, b FROM jsonb_to_recordset(${rows}::jsonb) AS x(a int, b int) ON CONFLICT DO NOTHING`,
    )
    this.env.unit.insertions.note(table, pairs.length)
    await this.#changed(pairs)
  }

  async detach(pairs: readonly Pair[]): Promise<void> {
    const { table, column, other } = this.#link
    const rows = JSON.stringify(pairs.map(({ owner, line }) => ({ a: owner, b: line })))
    this.#note(pairs)
    await this.#changed(pairs)
    this.env.unit.send(
      sql`DELETE FROM ${id(table)} USING jsonb_to_recordset(${rows}::jsonb) AS x(a int, b int) WHERE ${id(column)} = x.a AND ${id(other)} = x.b`,
    )
  }

  /** Hidden links are left unchanged (spec/wire.md section 9, "x2many values"). */
  async replace(wanted: ReadonlyMap<number, Ids>): Promise<void> {
    const { table, column, other } = this.#link
    const rows = await this.env.query<[number, number]>(
      sql`SELECT ${id(column)}, ${id(other)} FROM ${id(table)} WHERE ${id(column)} = ANY(${idList([...wanted.keys()])})`,
    )
    const linked = rows.map((row) => ({ owner: row[0], line: row[1] }))
    const surplus = unwantedPairs(linked, wanted)
    const visible = surplus.length && !this.env.su ? await this.#visible(surplus.map((p) => p.line)) : null
    const gone = visible ? surplus.filter((p) => visible.has(p.line)) : surplus
    if (gone.length) await this.detach(gone)
    const linkedKeys = new Set(linked.map(({ owner, line }) => `${owner}/${line}`))
    await this.attach(
      [...wanted].flatMap(([owner, lines]) =>
        lines.filter((line) => !linkedKeys.has(`${owner}/${line}`)).map((line) => ({ owner, line })),
      ),
    )
  }

  async #visible(lines: Ids): Promise<Set<number>> {
    const set = recordsOf(this.env.withContext({ active_test: false }), this.comodel, [])
    return new Set((await set.search([['id', 'in', lines]])).ids)
  }

  /** The field on the other side that sees the same links. */
  get #twin(): FieldDef | undefined {
    return [...this.comodel.fields.values()].find(
      (f) => f.link?.table === this.#link.table && f.link.column === this.#link.other,
    )
  }

  #note(pairs: readonly Pair[]): void {
    noteChange(this.env, this.field.model, 'u', ownersOf(pairs), [this.field])
    const twin = this.#twin
    if (twin) noteChange(this.env, twin.model, 'u', linesOf(pairs), [twin])
  }

  async #changed(pairs: readonly Pair[]): Promise<void> {
    await modified(this.env, [this.field], ownersOf(pairs))
    const twin = this.#twin
    const lines = linesOf(pairs)
    if (twin) assertKeyOpens(this.env, twin.model)
    if (twin && this.env.direct)
      await authorizeWrite(this.env, twin.model, [{ ids: lines, vals: { [twin.name]: null } }])
    if (twin) await modified(this.env, [twin], lines)
  }
}

/** Throws AccessError for a scoped key that would change users or rights from the other side of their links. */
function assertKeyOpens({ su, user, unit: { rights } }: Environment, model: ModelDef): void {
  if (!su && rights.narrow && isIdentity(model.name) && !rights.mayModel(user, model, 'write'))
    throw rights.refusal(user, model, 'write')
}

const ownersOf = (pairs: readonly Pair[]) => [...new Set(pairs.map((p) => p.owner))]
const linesOf = (pairs: readonly Pair[]) => [...new Set(pairs.map((p) => p.line))]
