// Environment: user, companies, language, time zone and context of code, in a session; and recordsets for it.

import { AccessError, InvalidValue, MissingError, UserError } from '../../errors.ts'
import { Slot } from '../../kit/slot.ts'
import { shown } from '../../kit/text.ts'
import { assertWithin } from '../../limits.ts'
import { type Column, type RowOf, rowsOf, type Sql, type Statement, sql } from '../../sql/index.ts'
import type { ModelName } from '../contract/names.ts'
import type { Ids, LooseRecords, LooseVals, ModelDef } from '../language/definitions.ts'
import type { Context, Environment, Reading } from '../language/environment.ts'
import type { Records } from '../language/records.ts'
import type { UserProfile } from '../language/rights.ts'
import type { Row, Unit } from '../language/unit.ts'
import { changedContext, withoutDefaults } from './contexts.ts'
import { SYSTEM } from './options.ts'
import { computedFieldsRead, forgetAnswers, keptRows } from './reads.ts'

/** The language that translated fields fall back to. */
export const BASE_LANGUAGE = 'en_US'

/** Levels of lists and objects in a context. */
const MAX_DEPTH = 50

/** Statements that may change rows: more than locking them. */
const WRITES = /\b(?:INSERT|DELETE)\b|(?<!\bFOR\s+(?:NO\s+KEY\s+)?)\bUPDATE\b/i

/**
 * Throws PayloadTooLarge for a large context from outside: each change of it in a call copies and
 * compares it. Throws InvalidValue for keys that code passes to itself (`server:…`).
 */
export function assertContext(context: LooseVals): void {
  const reserved = Object.keys(context).find((key) => key.startsWith('server:'))
  if (reserved)
    throw new InvalidValue(`Keys like "${reserved}" are set by the server: leave them out of a context.`)
  let [keys, bytes] = [0, 0]
  const waiting: (readonly [value: unknown, depth: number])[] = [[context, 1]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [value, depth] = next
    bytes += typeof value === 'string' ? value.length + 2 : 5
    assertWithin('context', bytes)
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_DEPTH) throw new InvalidValue(`The context is nested more than ${MAX_DEPTH} levels deep.`)
    if (Array.isArray(value)) {
      assertWithin('context', bytes + value.length)
      for (const item of value) waiting.push([item, depth + 1])
      continue
    }
    for (const key in value) {
      assertWithin('keys', ++keys)
      bytes += key.length
      waiting.push([(value as Record<string, unknown>)[key], depth + 1])
    }
  }
}

/** Environments with other contexts that an environment keeps. */
const MOST_OTHERS = 8

class ActingEnvironment implements Environment {
  readonly unit: Unit
  readonly user: UserProfile
  readonly context: Context
  readonly su: boolean
  readonly direct: boolean
  readonly slots: unknown[] = []
  #companies: Ids | undefined
  /** The same with the other value of `su`. */
  #twin: ActingEnvironment | undefined
  /** Environments with other contexts, which keep their caches for the next request. */
  #others: ActingEnvironment[] | undefined
  /** The environment of the caller, whose companies privileged code has until it names others. */
  #judged: ActingEnvironment | undefined

  constructor(unit: Unit, user: UserProfile, context: Context = {}, su = false, direct = false) {
    this.unit = unit
    this.user = user
    this.context = context
    this.su = su
    this.direct = direct
  }

  now(): Date {
    return this.unit.now()
  }

  get uid(): number {
    return this.user.id
  }

  get lang(): string {
    const lang = this.context.lang
    if (!lang) return BASE_LANGUAGE
    if (typeof lang !== 'string' || !this.unit.rights.languages.has(lang))
      throw new UserError(`Invalid language code: ${shown(lang)}`)
    return lang
  }

  get tz(): string | null {
    return typeof this.context.tz === 'string' && this.context.tz ? this.context.tz : null
  }

  get companyIds(): Ids {
    if (this.#companies) return this.#companies
    if (this.#judged) {
      this.#companies = this.#judged.companyIds
      return this.#companies
    }
    const allowed = this.context.allowed_company_ids ?? []
    if (!allowed || (Array.isArray(allowed) && allowed.length === 0)) {
      this.#companies = this.user.companyIds
      return this.#companies
    }
    if (!Array.isArray(allowed) || !allowed.every((company) => Number.isInteger(company))) {
      throw new InvalidValue('allowed_company_ids must be a list of company ids')
    }
    const foreign = allowed.filter((company) => !this.user.companyIds.includes(company))
    if (foreign.length && !this.su)
      throw new AccessError('Access to unauthorized or invalid companies.', { about: { kind: 'company' } })
    this.#companies = [...new Set<number>(allowed)]
    return this.#companies
  }

  get companyId(): number {
    return this.companyIds[0] ?? this.user.companyId
  }

  get activeTest(): boolean {
    return this.context.active_test === undefined || Boolean(this.context.active_test)
  }

  model<N extends ModelName>(name: N): Records<N> {
    return recordsOf(this, this.def(name), []) as unknown as Records<N>
  }

  def(name: string): ModelDef {
    const model = this.unit.registry.get(name)
    if (!model) throw new Error(`The model ${name} does not exist in this database.`)
    return model
  }

  sudo(su = true): Environment {
    if (su === this.su) return this
    if (!this.#twin) {
      const context = su ? withoutDefaults(this.context) : this.context
      this.#twin = new ActingEnvironment(this.unit, this.user, context, su)
      this.#twin.#twin = this
      if (su) this.#twin.#judged = this
    }
    return this.#twin
  }

  withContext(changes: Context): Environment {
    const context = changedContext(this.context, changes)
    if (context === this.context) return this
    const existing = this.#others?.find((other) => other.context === context)
    if (existing) return existing
    const env = new ActingEnvironment(this.unit, this.user, context, this.su, this.direct)
    if (!('allowed_company_ids' in changes)) env.#judged = this.#judged
    this.#others = [env, ...(this.#others ?? []).slice(0, MOST_OTHERS - 1)]
    return env
  }

  async asUser(uid: number): Promise<Environment> {
    if (uid === SYSTEM.id) return new ActingEnvironment(this.unit, SYSTEM, {}, true)
    const profile = uid === this.uid ? this.user : await this.unit.rights.profile(this.unit, uid)
    if (!profile) throw new MissingError(`The user with the id ${uid} does not exist.`)
    const context = {
      ...(profile.lang ? { lang: profile.lang } : {}),
      ...(profile.tz ? { tz: profile.tz } : {}),
    }
    return new ActingEnvironment(this.unit, profile, context)
  }

  withCompany(company: number): Environment {
    return this.withContext({
      allowed_company_ids: Object.freeze([company, ...this.companyIds.filter((c) => c !== company)]),
    })
  }

  async rows<const C extends readonly Column[]>(
    statement: Sql,
    { reads, row, kept }: Reading<C>,
  ): Promise<readonly RowOf<C>[]> {
    const compiled = statement.compile()
    // Statements that are ready in the same tick leave together, so nothing is awaited without need.
    const waiting = this.#computeFor(compiled, reads)
    if (waiting) await waiting
    const ask = () => this.#run(compiled, reads)
    const models = kept && [...reads, ...kept].map((name) => this.def(name))
    return rowsOf(await (models ? keptRows(this.unit, compiled, models, ask) : ask()), row, compiled.text)
  }

  async execute(statement: Sql, said?: Pick<Reading, 'reads'>): Promise<void> {
    const compiled = statement.compile()
    const waiting = said && this.#computeFor(compiled, said.reads)
    if (waiting) await waiting
    await this.#run(compiled, said?.reads ?? null)
  }

  /**
   * A model in `reads` may be read through a view or a function. Dependents of rows that SQL of a module
   * writes are unknown.
   */
  async #run(statement: Statement, reads: readonly string[] | null): Promise<readonly Row[]> {
    this.unit.buffer.declareReads(reads ? reads.map((name) => this.def(name).table) : null)
    const rows = await this.unit.run(statement)
    this.#doubt(statement)
    return rows
  }

  /** After SQL that may write: forgets columns of new rows that were not read, and all dependent values. */
  #doubt({ text }: Statement): void {
    if (!WRITES.test(text)) return
    this.unit.cache.forgetDerived()
    this.unit.cache.forgetUnconfirmed()
    forgetAnswers(this.unit)
  }

  /** Computes pending values of the columns that a statement reads; null where there are none. */
  #computeFor({ text }: Statement, reads: readonly string[]): Promise<void> | null {
    const { pending } = this.unit.recomputation
    const { registry } = this.unit
    const fields = computedFieldsRead(registry, text, reads)
    if (pending.size === 0 || fields.isDisjointFrom(pending)) return null
    return registry.engine.flush(this, (field) => fields.has(field))
  }

  async query<R extends Row = Row>(statement: Sql, last = false): Promise<readonly R[]> {
    const compiled = statement.compile()
    const rows = await this.unit.run<R>(compiled, last)
    this.#doubt(compiled)
    return rows
  }

  hasGroup(xmlid: string): boolean {
    return this.user.groups.has(xmlid)
  }

  async ref(xmlid: string): Promise<number> {
    const recordId = await this.find(xmlid)
    if (recordId === null) throw new MissingError(`External ID not found in the system: ${xmlid}`)
    return recordId
  }

  async find(xmlid: string): Promise<number | null> {
    const dot = xmlid.indexOf('.')
    const rows = await this.query(
      sql`SELECT res_id FROM ir_model_data WHERE module = ${xmlid.slice(0, dot)} AND name = ${xmlid.slice(dot + 1)}`,
    )
    return (rows[0]?.[0] as number | undefined) ?? null
  }
}

/** An environment in a session. `su`: no rights restrict it; `direct`: see `Environment`. */
export function environmentOf(
  unit: Unit,
  user: UserProfile,
  context: Context = {},
  su = false,
  direct = false,
): Environment {
  return new ActingEnvironment(unit, user, context, su, direct)
}

const indirects = new Slot<Environment>()

/** The same environment for the code's own writes: see `direct`. */
export function indirect(env: Environment): Environment {
  if (!env.direct) return env
  return indirects.obtain(env, () => environmentOf(env.unit, env.user, env.context, env.su))
}

/** Records of a model by id; nothing is read. */
export function recordsOf(env: Environment, def: ModelDef, ids: Ids): LooseRecords {
  const Recordset = def.recordset()
  return new Recordset(env, def, ids)
}
