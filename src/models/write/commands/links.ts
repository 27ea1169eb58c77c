// Commands on a many2many: pairs are put into the link table and taken out of it.

import { ValidationError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { id, idList, join, sql } from '../../../sql/index.ts'
import { noteChange } from '../../changes/note.ts'
import { modified } from '../../compute/recompute.ts'
import type { FieldDef, Many2manyDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { linkOf } from '../../language/field-options.ts'
import { isIdentity } from '../../rights/key-scope.ts'
import { guardRecords } from '../../row/access.ts'
import { recordsOf } from '../../unit/environment.ts'
import { authorizeWrite } from '../authorize.ts'
import { createByCaller, type Making, type Pair, surplusOf, Worker } from './worker.ts'

/** Many2many: pairs in the link table. */
export class Links extends Worker<Many2manyDef> {
  get #link() {
    return linkOf(this.field)
  }

  async make(items: readonly Making[]): Promise<void> {
    const lines = await createByCaller(
      this.env,
      this.comodel,
      items.map(({ vals }) => vals),
    )
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
  async replace(wanted: ReadonlyMap<number, readonly number[]>): Promise<void> {
    const { table, column, other } = this.#link
    const rows = await this.env.query<[number, number]>(
      sql`SELECT ${id(column)}, ${id(other)} FROM ${id(table)} WHERE ${id(column)} = ANY(${idList([...wanted.keys()])})`,
    )
    const linked = rows.map((row) => ({ owner: row[0], line: row[1] }))
    const surplus = surplusOf(linked, wanted)
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

  async #visible(lines: readonly number[]): Promise<Set<number>> {
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
