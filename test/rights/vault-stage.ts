// The vault with people before it: a clerk, a portal user and a visitor, who see the same; and what they must
// not see, in two versions.
import { ServiceError } from '../../src/errors.ts'
import { hashKey, newKey } from '../../src/kit/secrets.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { call } from '../../src/services/call.ts'
import { content, type Place } from '../../src/services/content.ts'
import type { Credential } from '../../src/services/request.ts'
import { id, join, sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { vault } from './vault.ts'

export const people = ['clerk', 'portal', 'visitor'] as const
export type Person = (typeof people)[number]
export type Version = 'one' | 'other'

/** Texts that only administrators may receive. */
export const SECRET = /cipher/i

/** A refusal, or the parsed result. `text`: the whole answer. */
export type Told =
  | { readonly refused: number; readonly text: string }
  | { readonly value: unknown; readonly text: string }

/** A call of a model's method, papers when none is named, or the content of a file. */
export type Ask =
  | { readonly model?: string; readonly method: string; readonly body: Record<string, unknown> }
  | { readonly place: Place }

export type Ids = Readonly<Record<string, number>>

export class Vault {
  readonly db: TestDatabase
  readonly ids: Ids
  readonly #keys: Readonly<Record<string, string>>

  private constructor(db: TestDatabase, ids: Ids, keys: Readonly<Record<string, string>>) {
    this.db = db
    this.ids = ids
    this.#keys = keys
  }

  static async open(): Promise<Vault> {
    const db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), vault])
    const keys = Object.fromEntries(people.map((person) => [person, newKey()]))
    const ids = await db.run(async (env) => {
      await putPeople(env, keys)
      await putRights(env)
      return putRecords(env)
    })
    return new Vault(db, ids, keys)
  }

  close(): Promise<void> {
    return this.db.close()
  }

  async ask(person: Person, call: Ask): Promise<Told> {
    try {
      const json = 'place' in call ? await this.#content(person, call.place) : await this.#call(person, call)
      return { value: JSON.parse(json) as unknown, text: json }
    } catch (error) {
      if (error instanceof ServiceError)
        return { refused: error.status, text: `${error.message} ${JSON.stringify(error)}` }
      throw error
    }
  }

  async #call(
    person: Person,
    { model = 'vault.paper', method, body }: Extract<Ask, { method: string }>,
  ): Promise<string> {
    const { ids, context, ...named } = body
    const request = {
      database: 'test',
      credential: this.#credential(person),
      model,
      method,
      remote: '127.0.0.1',
      requestId: 'probes',
    }
    return (await call(this.db.databases, { ...request, body: () => ({ ids, context, named }) })).json
  }

  /** Metadata of a file, without its bytes. */
  async #content(person: Person, place: Place): Promise<string> {
    const wanted = { database: 'test', credential: this.#credential(person), remote: '127.0.0.1', place }
    return JSON.stringify(await content(this.db.databases, wanted))
  }

  #credential(person: Person): Credential {
    return { kind: 'key', key: this.#keys[person] as string }
  }

  /**
   * Changes everything that is hidden, and nothing that is not. Names of what visible records refer to are
   * not hidden.
   */
  change(version: Version): Promise<void> {
    const other = version === 'other'
    const { hiddenPaper, hiddenFolder, hiddenTag, hiddenLine, looseLine, paper, second, tag } = this.ids
    return this.db.run(async (env) => {
      const set = (table: string, record: number | undefined, values: Record<string, unknown>) =>
        env.query(
          sql`UPDATE ${id(table)} SET ${join(Object.entries(values).map(([name, value]) => sql`${id(name)} = ${value}`))} WHERE id = ${record}::int`,
        )
      await set('vault_paper', hiddenPaper, {
        name: other ? 'Cipher B' : 'Cipher A',
        kind: other ? 'y' : 'z',
        code: other ? 'B' : 'A',
      })
      await env.query(
        sql`UPDATE vault_paper SET pages = ${other ? 900 : 100}::int, active = ${other}::bool, folder_id = ${other ? this.ids.folder : hiddenFolder}::int WHERE id = ${hiddenPaper}::int`,
      )
      await set('vault_folder', hiddenFolder, { memo: other ? 'Cipher memo B' : 'Cipher memo A' })
      await env.query(
        sql`UPDATE vault_folder SET rank = ${other ? 1 : 9}::int, weight = ${other ? 5 : 6}::int WHERE id = ${hiddenFolder}::int`,
      )
      await set('vault_tag', hiddenTag, { name: other ? 'Cipher tag B' : 'Cipher tag A' })
      await set('vault_line', hiddenLine, { name: other ? 'Cipher line B' : 'Cipher line A' })
      await env.query(
        sql`UPDATE vault_line SET amount = ${other ? 70 : 7}::int WHERE id = ${hiddenLine}::int`,
      )
      await env.query(
        sql`UPDATE vault_line SET paper_id = ${other ? second : null}::int WHERE id = ${looseLine}::int`,
      )
      await env.query(sql`UPDATE vault_drawer SET place = ${other ? 'Cipher cellar' : 'Cipher attic'}`)
      // Fields of administrators, on records that everybody sees.
      for (const [place, record] of [paper, second].entries()) {
        await env.query(
          sql`UPDATE vault_paper SET weight = ${(place === 0) === other ? 1 : 50}::int, seal = ${other ? tag : hiddenTag}::int WHERE id = ${record}::int`,
        )
        await env.query(
          sql`UPDATE vault_paper SET note = jsonb_build_object('en_US', ${other ? `Cipher ${place}` : `Cipher ${9 - place}`}::text) WHERE id = ${record}::int`,
        )
      }
      await env.query(sql`DELETE FROM vault_seals`)
      if (other)
        await env.query(sql`INSERT INTO vault_seals (paper_id, tag_id) VALUES (${paper}::int, ${tag}::int)`)
      await env.query(
        sql`UPDATE ir_attachment SET name = ${other ? 'cipher-b.txt' : 'cipher-a.txt'} WHERE id = ${this.ids.hiddenFile}::int`,
      )
    })
  }
}

async function putPeople(env: Environment, keys: Readonly<Record<string, string>>): Promise<void> {
  // External ids are closed to plain users: these may read them, within the rule.
  await env.query(sql`INSERT INTO ir_model_access (name, active, model_id, group_id, perm_read, perm_write, perm_create, perm_unlink)
    SELECT 'clerks read external ids', TRUE, m.id, ${await env.ref('base.group_user')}::int, TRUE, FALSE, FALSE, FALSE FROM ir_model m WHERE m.model = 'ir.model.data'`)
  // Portal users may read no attachments: these may, within the rules.
  await env.query(sql`INSERT INTO ir_model_access (name, active, model_id, group_id, perm_read, perm_write, perm_create, perm_unlink)
    SELECT 'portal users read attachments', TRUE, m.id, ${await env.ref('base.group_portal')}::int, TRUE, FALSE, FALSE, FALSE FROM ir_model m WHERE m.model = 'ir.attachment'`)
  const groups = {
    clerk: 'base.group_user',
    portal: 'base.group_portal',
    visitor: 'base.group_public',
  } as const
  const exporters = await env.ref('base.group_allow_export')
  for (const person of people) {
    const member = [await env.ref(groups[person]), exporters]
    const user = await env
      .model('res.users')
      .create([{ name: person, login: person, group_ids: [[6, 0, member]] }] as never)
    await env.query(sql`INSERT INTO res_users_apikeys (name, user_id, key_hash, expiration_date, create_date)
      VALUES ('probes', ${user.ids[0]}::int, ${hashKey(keys[person] as string)}, now() AT TIME ZONE 'UTC' + interval '1 day', now() AT TIME ZONE 'UTC')`)
  }
}

/** Everything is open to everybody but drawers; rules hide what is marked. */
async function putRights(env: Environment): Promise<void> {
  const open = ['paper', 'folder', 'tag', 'line']
  for (const name of open) {
    const model = (await env.model('ir.model').search([['model', '=', `vault.${name}`]] as never)).ids[0]
    const may = { perm_read: true, perm_write: true, perm_create: true, perm_unlink: true }
    await env.model('ir.model.access').create([{ name, model_id: model, ...may }] as never)
    await env
      .model('ir.rule')
      .create([{ name, model_id: model, domain_force: "[('hidden', '=', False)]", ...may }] as never)
  }
}

async function putRecords(env: Environment): Promise<Ids> {
  const make = async (model: string, ...list: object[]) =>
    (await env.model(model as 'res.partner').create(list as never)).ids as number[]
  const shelf = [{ name: 'size', type: 'char', string: 'Size' }]
  const sealed = [{ name: 'sealing', type: 'char', string: 'Cipher seal' }]
  const [folder, hiddenFolder] = await make(
    'vault.folder',
    { name: 'Shelf', memo: 'open', rank: 5, definitions: shelf },
    { name: 'Known folder', memo: 'Cipher memo A', hidden: true, rank: 9 },
    { name: 'Cipher folder', memo: 'Cipher memo', hidden: true, rank: 9, definitions: sealed },
  )
  const [tag, hiddenTag] = await make('vault.tag', { name: 'Blue' }, { name: 'Cipher tag A', hidden: true })
  const [drawer] = await make('vault.drawer', { name: 'Left', place: 'Cipher attic' })
  const [paper, second, hiddenPaper] = await make(
    'vault.paper',
    {
      name: 'Alpha',
      kind: 'x',
      pages: 3,
      weight: 1,
      note: 'Cipher 9',
      folder_id: folder,
      drawer_id: drawer,
      tag_ids: [[6, 0, [tag, hiddenTag]]],
      scan: 'Y2lwaGVy',
    },
    {
      name: 'Beta',
      kind: 'x',
      pages: 4,
      weight: 50,
      note: 'Cipher 8',
      folder_id: hiddenFolder,
      tag_ids: [[6, 0, [hiddenTag]]],
      scan: 'Y2lwaGVy',
    },
    {
      name: 'Cipher A',
      kind: 'z',
      pages: 100,
      hidden: true,
      folder_id: hiddenFolder,
      code: 'A',
      tag_ids: [[6, 0, [tag]]],
    },
  )
  await env
    .model('vault.paper' as 'res.partner')
    .browse([hiddenPaper as number])
    .write({ parent_id: paper } as never)
  const [line, hiddenLine, looseLine] = await make(
    'vault.line',
    { name: 'First', amount: 2, paper_id: paper },
    { name: 'Cipher line A', amount: 7, hidden: true, paper_id: paper },
    { name: 'Cipher loose', amount: 8, hidden: true },
  )
  const [file, hiddenFile] = await make(
    'ir.attachment',
    { name: 'open.txt', datas: 'b3Blbg==', res_model: 'vault.paper', res_id: paper },
    { name: 'cipher-a.txt', datas: 'Y2lwaGVy', res_model: 'vault.paper', res_id: hiddenPaper },
  )
  const entries = [
    ['cipher_paper', 'vault.paper', hiddenPaper],
    ['cipher_tag', 'vault.tag', hiddenTag],
    ['blue', 'vault.tag', tag],
  ] as const
  for (const [name, model, record] of entries)
    await env.query(
      sql`INSERT INTO ir_model_data (module, name, model, res_id) VALUES ('vault', ${name}, ${model}, ${record}::int)`,
    )
  return {
    folder,
    hiddenFolder,
    tag,
    hiddenTag,
    drawer,
    paper,
    second,
    hiddenPaper,
    line,
    hiddenLine,
    looseLine,
    file,
    hiddenFile,
  } as Ids
}
