// Picks the fields of a record to show to a reader who pays by the word.
import type { FieldDef, ModelDef } from '../../models/language/definitions.ts'

/** Most fields shown in addition to id and name. */
const MOST = 12

/** Field types that are never shown: file contents, and documents of documents. */
const silent = new Set(['binary', 'image', 'json', 'properties', 'properties_definition'])

/** Whether values of a field may be shown to agents. */
export const isShownToAgents = ({ kind, options }: FieldDef): boolean => !silent.has(kind) && !options.hidden

/** Names of the fields to show by default; `sees` returns which of them the caller may see. */
export function briefFields(model: ModelDef, sees: (field: FieldDef) => boolean): string[] {
  const ranked = [...model.fields.values()]
    .filter(
      (field) => field.name !== 'id' && field !== model.displayName && isShownToAgents(field) && sees(field),
    )
    .map((field) => [rankOf(model, field), field.name] as const)
    .filter(([rank]) => rank > 0)
  // Fields of equal rank stay in the model's order.
  ranked.sort(([a], [b]) => b - a)
  return ['id', model.displayName.name, ...ranked.slice(0, MOST).map(([, name]) => name)]
}

/** Words in names of what people look at first. */
const telling =
  /(?:^|_)(?:name|ref|code|state|email|phone|city|date|amount|price|qty|quantity|active|type)(?:_|$)/

function rankOf(model: ModelDef, field: FieldDef): number {
  if (field.automatic || field.kind === 'one2many' || field.kind === 'many2many' || field.kind === 'html')
    return 0
  return (
    (field.required ? 4 : 0) +
    (field.options.index ? 2 : 0) +
    (telling.test(field.name) ? 3 : 0) +
    (field.name === model.recName ? 3 : 0) +
    (field.inherited || !field.stored ? -2 : 0)
  )
}
