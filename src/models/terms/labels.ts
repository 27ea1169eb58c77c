// Labels in the caller's language: names of models, labels, helps and options of fields, from the
// database, cached until one of them changes.
import { ServiceError } from '../../errors.ts'
import { oncePer } from '../../kit/once-per.ts'
import { isRetryable, translate, type Wording } from '../../postgres/index.ts'
import { sql } from '../../sql/index.ts'
import { selectionOf } from '../kinds/index.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { FieldTerms } from '../language/module.ts'
import type { Rights } from '../language/rights.ts'
import { raisesRightsVersion, unrestricted } from '../rights/tables.ts'
import { foreignKeyName } from '../row/thing-names.ts'
import { BASE_LANGUAGE } from '../unit/environment.ts'

/** Labels of a model and its fields; English if a language has no translation. */
export class Labels {
  readonly #model: string | null
  readonly #fields: ReadonlyMap<string, FieldTerms>
  /** Labels of the models that this one delegates to. */
  readonly #behind: readonly Labels[]

  constructor(model: string | null, fields: ReadonlyMap<string, FieldTerms>, behind: readonly Labels[]) {
    this.#model = model
    this.#fields = fields
    this.#behind = behind
  }

  model(model: ModelDef): string {
    return this.#model ?? model.label
  }

  label(field: FieldDef): string {
    return this.#find(field, 'label') ?? field.label
  }

  help(field: FieldDef): string | undefined {
    return this.#find(field, 'help') ?? field.options.help
  }

  /** Option → label, in the order of declaration. */
  options(field: FieldDef): Readonly<Record<string, string>> {
    const options = selectionOf(field)
    const named = this.#find(field, 'options')
    if (!named) return options
    return Object.fromEntries(
      Object.entries(options).map(([key, label]) => [
        key,
        Object.hasOwn(named, key) ? (named[key] ?? label) : label,
      ]),
    )
  }

  #find<K extends keyof FieldTerms>(field: FieldDef, part: K): FieldTerms[K] | undefined {
    const label = this.#fields.get(field.name)?.[part]
    if (label !== undefined || !field.inherited) return label
    for (const labels of this.#behind) {
      const inherited = labels.#find(field, part)
      if (inherited !== undefined) return inherited
    }
    return undefined
  }
}

/** English labels: those of the declarations. */
export const english = new Labels(null, new Map(), [])

/** Cached by rights: every change of a label raises their version. */
const remembered = oncePer((_: Rights) => new Map<string, Labels>())

/** The labels of a model in the context's language. Queries the database once per language and model. */
export async function labelsOf(env: Environment, model: ModelDef): Promise<Labels> {
  const { lang } = env
  const { rights } = env.unit
  if (lang === BASE_LANGUAGE) return english
  const key = `${lang} ${model.name}`
  const cached = remembered(rights)
  const existing = cached.get(key)
  if (existing) return existing
  const behind: Labels[] = []
  for (const target of model.inherits.keys()) behind.push(await labelsOf(env, env.def(target)))
  const labels = await read(env, model, lang, behind)
  if (rights === unrestricted || raisesRightsVersion(env.unit)) return labels
  cached.set(key, labels)
  return labels
}

async function read(
  env: Environment,
  model: ModelDef,
  lang: string,
  behind: readonly Labels[],
): Promise<Labels> {
  const rows = await env.query<
    [unknown, unknown, unknown, unknown, string | null | undefined]
  >(sql`SELECT f.name, f.field_description ->> ${lang}, f.help ->> ${lang},
      (SELECT json_object_agg(s.value, s.name ->> ${lang})::text FROM ir_model_fields_selection s WHERE s.field_id = f.id AND s.name ->> ${lang} IS NOT NULL),
      m.name ->> ${lang}
    FROM ir_model m LEFT JOIN ir_model_fields f ON f.model_id = m.id WHERE m.model = ${model.name}`)
  const fields = new Map<string, FieldTerms>()
  for (const [name, label, help, options] of rows as readonly (readonly (string | null)[])[]) {
    const terms = {
      ...(label ? { label } : {}),
      ...(help ? { help } : {}),
      ...(options ? { options: JSON.parse(options) as Record<string, string> } : {}),
    }
    if (name && Object.keys(terms).length) fields.set(name, terms)
  }
  return new Labels(rows[0]?.[4] ?? null, fields, behind)
}

// Translates failures of PostgreSQL to errors with the names of a database's models.

/**
 * Violated constraints and the like, by the messages of constraints and the labels of fields; other
 * errors are returned as they are.
 */
export function inWordsOf(registry: Registry, error: unknown): unknown {
  if (error instanceof ServiceError || isRetryable(error)) return error
  return translate(error, wordingOf(registry))
}

/** The models' names for what PostgreSQL reports by names of its own. */
export function wordingOf(registry: Registry): Wording {
  const modelOf = (table: string) => [...registry.models.values()].find((model) => model.table === table)
  return {
    constraint: (name) => registry.constraintMessages.get(name),
    field: (table, column) => modelOf(table)?.fields.get(column)?.label,
    reference: (table, key) => {
      const model = modelOf(table)
      const field =
        model && [...model.fields.values()].find(({ name }) => foreignKeyName(table, name) === key)
      return field && { model: `${model.label} (${model.name})`, field: `${field.label} (${field.name})` }
    },
  }
}
