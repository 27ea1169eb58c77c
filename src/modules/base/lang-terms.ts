// Terms of languages: names of countries, currencies and languages, put beside the English ones when a language is brought in.
import type { Environment } from '#models'
import { id, sql } from '../../sql/index.ts'
import { readData } from './data-files.ts'

/** Language → model → external id → field → text, as `data/translations.json` holds it. */
type Terms = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>>>

export interface TermOptions {
  /** Replace what a language says already; otherwise that stays. */
  readonly overwrite?: boolean
}

/** Enters the terms of languages. One statement for each translated field. */
export async function loadTerms(env: Environment, codes: readonly string[], { overwrite = false }: TermOptions = {}): Promise<void> {
  const terms = readData<Terms>('translations')
  for (const code of codes) {
    for (const [model, records] of Object.entries(terms[code] ?? {})) {
      const def = env.unit.registry.get(model)
      if (!def) continue
      const fields = new Set(Object.values(records).flatMap((texts) => Object.keys(texts)))
      for (const name of fields) {
        if (!def.fields.get(name)?.translate) continue
        const rows = Object.entries(records).flatMap(([xmlid, texts]) => (texts[name] ? [{ x: xmlid, v: { [code]: texts[name] } }] : []))
        const column = id(name)
        const merged = overwrite ? sql`t.${column} || x.v` : sql`x.v || t.${column}`
        await env.query(sql`UPDATE ${id(def.table)} t SET ${column} = ${merged} FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(x text, v jsonb)
          JOIN ir_model_data d ON d.module = 'base' AND d.name = x.x AND d.model = ${model} WHERE d.res_id = t.id AND t.${column} IS NOT NULL`)
      }
    }
  }
  env.unit.cache.clear()
}
