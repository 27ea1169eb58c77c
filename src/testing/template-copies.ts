// Copies of the template for one server: the one in use, and from the first reset on the next one, made while
// a test runs.
import type { Databases } from '../databases/index.ts'
import { hashKey } from '../kit/secrets.ts'
import { Admin } from '../postgres/index.ts'
import { sql } from '../sql/index.ts'

export interface TemplateCopiesOptions {
  /** Name of the database in use. */
  readonly name: string
  readonly template: string
  /** The administrator's key in every copy. */
  readonly key: string
}

export class TemplateCopies {
  readonly key: string
  readonly #databases: Databases
  readonly #options: TemplateCopiesOptions
  #next: Promise<string> | undefined

  constructor(databases: Databases, options: TemplateCopiesOptions) {
    this.#databases = databases
    this.#options = options
    this.key = options.key
  }

  /** Makes the first copy. */
  async first(): Promise<void> {
    await this.#copy(this.#options.name)
  }

  /** Puts a fresh copy in the place of the one in use, and begins with the next. */
  async renew(): Promise<void> {
    const next = await (this.#next ?? this.#spare())
    this.#next = undefined
    await this.#databases.replace(this.#options.name, next)
    this.#next = this.#spare()
    // `renew` awaits the copy later, and throws its error then.
    this.#next.catch(() => undefined)
  }

  /** Waits for a copy that is being made. */
  async settle(): Promise<void> {
    await this.#next?.catch(() => undefined)
  }

  #spare(): Promise<string> {
    return this.#copy(`${this.#options.name}_next`)
  }

  async #copy(name: string): Promise<string> {
    const { template, key } = this.#options
    await new Admin(this.#databases.address, { durable: false }).createDatabase(name, template)
    await (await this.#databases.database(name)).system((env) =>
      env.query(sql`INSERT INTO res_users_apikeys (name, user_id, key_hash, create_date)
        SELECT 'test', id, ${hashKey(key)}, now() AT TIME ZONE 'UTC' FROM res_users WHERE login = 'admin'`),
    )
    return name
  }
}
