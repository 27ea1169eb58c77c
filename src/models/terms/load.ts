// Stores translations: texts of models, fields, options and records of modules are added to the English
// ones in the database, with one statement per column.
import { present } from '../../kit/present.ts'
import { id, sql } from '../../sql/index.ts'
import { selectionOf } from '../kinds/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Module } from '../language/module.ts'
import { MANUAL } from '../manual/custom.ts'
import { raiseRightsVersion } from '../rights/tables.ts'
import { BASE_LANGUAGE } from '../unit/environment.ts'
import { Lexicon } from './lexicon.ts'

/** Options of `loadTerms`. */
export interface TermOptions {
  /** Replaces existing translations. Default: they are kept. */
  readonly overwrite?: boolean
}

/** Stores the translations of the database's modules into languages. */
export async function loadTerms(
  env: Environment,
  codes: readonly string[],
  { overwrite = false }: TermOptions = {},
): Promise<void> {
  const modules = env.unit.registry.declared
  for (const code of codes) {
    if (code === BASE_LANGUAGE) continue
    const lexicon = new Lexicon(modules, code)
    if (lexicon.isEmpty) continue
    const put = new Entry(env, code, overwrite)
    await enterModels(put, lexicon)
    await enterModules(put, lexicon, modules)
    for (const module of modules) await enterRecords(put, lexicon, module)
  }
  env.unit.cache.clear()
  // Descriptions of fields are cached by language.
  raiseRightsVersion(env)
}

/** Codes of the active languages. */
export async function activeLanguages(env: Environment): Promise<string[]> {
  if (!env.unit.registry.get('res.lang')) return []
  return (await env.query<[string]>(sql`SELECT code FROM res_lang WHERE active ORDER BY code`)).map(
    ([code]) => code,
  )
}

type Row = Readonly<Record<string, string>>

/** Writes texts into a translated column. */
class Entry {
  readonly env: Environment
  readonly code: string
  readonly #overwrite: boolean

  constructor(env: Environment, code: string, overwrite: boolean) {
    this.env = env
    this.code = code
    this.#overwrite = overwrite
  }

  /** `rows` have columns `same` and `text`; `from` and `where` join them (`x`) with the table (`t`). */
  async put(
    table: string,
    column: string,
    rows: readonly Row[],
    where: ReturnType<typeof sql>,
    from = sql``,
  ): Promise<void> {
    if (rows.length === 0) return
    const keys = Object.keys(present(rows[0]))
    const addition = sql`jsonb_build_object(${this.code}::text, x.text)`
    const merged = this.#overwrite ? sql`t.${id(column)} || ${addition}` : sql`${addition} || t.${id(column)}`
    const shape = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(${columnsOf(keys)})`
    await this.env.query(
      sql`UPDATE ${id(table)} t SET ${id(column)} = ${merged} FROM ${shape}${from} WHERE ${where} AND t.${id(column)} IS NOT NULL AND t.${id(column)} IS DISTINCT FROM ${merged}`,
    )
  }
}

const columnsOf = (keys: readonly string[]) =>
  keys.map((key) => sql`${id(key)} text`).reduce((all, next) => sql`${all}, ${next}`)

/** Names of models, and their fields' labels, helps and options. */
async function enterModels(entry: Entry, lexicon: Lexicon): Promise<void> {
  const names: Row[] = []
  const labels: Row[] = []
  const helps: Row[] = []
  const options: Row[] = []
  for (const model of entry.env.unit.registry.models.values()) {
    if (model.module === MANUAL) continue
    const name = lexicon.model(model)
    if (name !== undefined) names.push({ model: model.name, text: name })
    for (const field of model.fields.values()) {
      if (field.options.hidden || field.module === MANUAL) continue
      const choices =
        field.kind === 'selection' && typeof field.options.selection !== 'function' && !field.inherited
          ? selectionOf(field)
          : {}
      const { label, help, options: named = {} } = lexicon.field(field, choices)
      const place = { model: model.name, name: field.name }
      if (label !== undefined) labels.push({ ...place, text: label })
      if (help !== undefined) helps.push({ ...place, text: help })
      for (const [value, text] of Object.entries(named)) options.push({ ...place, value, text })
    }
  }
  await entry.put('ir_model', 'name', names, sql`t.model = x.model`)
  await entry.put('ir_model_fields', 'field_description', labels, sql`t.model = x.model AND t.name = x.name`)
  await entry.put('ir_model_fields', 'help', helps, sql`t.model = x.model AND t.name = x.name`)
  await entry.put(
    'ir_model_fields_selection',
    'name',
    options,
    sql`f.model = x.model AND f.name = x.name AND t.field_id = f.id AND t.value = x.value`,
    sql`, ir_model_fields f`,
  )
}

async function enterModules(entry: Entry, lexicon: Lexicon, modules: readonly Module[]): Promise<void> {
  const rows = modules.flatMap(({ name, summary }) => {
    const text = lexicon.text(name, summary)
    return text === undefined ? [] : [{ name, text }]
  })
  await entry.put('ir_module_module', 'summary', rows, sql`t.name = x.name`)
}

/** Texts of the records in a module's data: first translations by external id, then by English text. */
async function enterRecords(entry: Entry, lexicon: Lexicon, { name: module }: Module): Promise<void> {
  const terms = lexicon.of(module)
  if (!terms) return
  const texts = Object.entries(terms.texts ?? {}).map(([source, text]) => ({ source, text }))
  for (const model of translatedModels(entry.env)) {
    const records = terms.records?.[model.name] ?? {}
    const brought = sql`d.module = ${module} AND d.model = ${model.name} AND d.res_id = t.id`
    for (const column of translatedColumns(model)) {
      const named = Object.entries(records).flatMap(([xmlid, fields]) =>
        fields[column] ? [{ xmlid, text: fields[column] }] : [],
      )
      await entry.put(
        model.table,
        column,
        named,
        sql`${brought} AND d.name = x.xmlid`,
        sql`, ir_model_data d`,
      )
      const namedIds = new Set(named.map(({ xmlid }) => xmlid))
      await entry.put(
        model.table,
        column,
        texts,
        sql`${brought} AND d.name <> ALL(${[...namedIds]}::text[]) AND t.${id(column)} ->> ${BASE_LANGUAGE} = x.source`,
        sql`, ir_model_data d`,
      )
    }
  }
}

/** The catalogue has its texts from the registry. */
const reflected = new Set(['ir.model', 'ir.model.fields', 'ir.model.fields.selection', 'ir.module.module'])

function translatedModels(env: Environment): ModelDef[] {
  return [...env.unit.registry.models.values()].filter(
    (model) =>
      model.hasTable &&
      model.kind === 'model' &&
      !reflected.has(model.name) &&
      translatedColumns(model).length > 0,
  )
}

const translatedColumns = (model: ModelDef): string[] =>
  [...model.fields.values()]
    .filter((field) => field.translate && field.column && !field.inherited)
    .map((field) => field.name)
