// Models as agents read them: few words, only what the caller may see and their key opens.
import type { Extensions } from '../config/index.ts'
import { alike } from '../kit/alike.ts'
import type { FieldDef, MethodDef, ModelDef } from '../models/language/definitions.ts'
import type { Environment } from '../models/language/environment.ts'
import { type Labels, labelsOf } from '../models/terms/labels.ts'
import { isTechnical } from './model-groups.ts'
import { signature } from './python.ts'
import { mayModel, usableMethods, visibleFields, visibleModel, visibleModels } from './visible-models.ts'

/** Whether the scope of a key leaves a method open. */
type Opens = (model: string, method: { readonly name: string; readonly readonly: boolean }) => boolean

const READ = { name: 'read', readonly: true }
const SEARCH = { name: 'search_read', readonly: true }
const FIELDS = { name: 'fields_get', readonly: true }

interface Looked {
  readonly opens: Opens
}

interface DescriptionRequest extends Looked {
  readonly fields: string[] | null
  readonly methods: string[] | null
  /** Extensions of the server: methods of other extensions are left out. */
  readonly extensions: Extensions
}

/** Models that the caller may read, those of the business first; `search` looks into names and labels. */
export async function listedModels(
  env: Environment,
  { opens, search, limit }: Looked & { readonly search: string | null; readonly limit: number },
): Promise<object> {
  const wanted = search?.toLowerCase().split(/\s+/).filter(Boolean) ?? []
  const matches: { model: string; name: string; rank: number }[] = []
  for (const model of visibleModels(env)) {
    if (model.kind !== 'model' || !isOpen(model, opens)) continue
    const name = (await labelsOf(env, model)).model(model)
    const words = `${model.name} ${name}`.toLowerCase()
    if (!wanted.every((word) => words.includes(word))) continue
    matches.push({ model: model.name, name, rank: isTechnical(model) ? 1 : 0 })
  }
  matches.sort((a, b) => a.rank - b.rank || (a.model < b.model ? -1 : 1))
  return {
    models: matches.slice(0, limit).map(({ model, name }) => ({ model, name })),
    more: Math.max(0, matches.length - limit),
  }
}

/** Whether anything of a model is open to a key that lists methods. */
const isOpen = (model: ModelDef, opens: Opens): boolean =>
  [READ, SEARCH, FIELDS].some((method) => opens(model.name, method)) ||
  [...model.methods.values()].some((method) => !method.private && opens(model.name, method))

/** A model in few words. Member by member: a text each for fields, an object for methods. */
export interface BriefModel {
  readonly model: string
  readonly name: string
  readonly may: readonly string[]
  readonly fields: Readonly<Record<string, string>>
  readonly methods: Readonly<Record<string, object>>
  readonly unknown?: readonly string[]
}

/**
 * One model: all fields and the methods of its own, or those that are named. Throws NotFound for an unknown
 * model, AccessError for one that the caller may not read.
 */
export async function describedModel(
  env: Environment,
  name: string,
  { opens, fields, methods, extensions }: DescriptionRequest,
): Promise<BriefModel> {
  const model = visibleModel(env, name)
  const labels = await labelsOf(env, model)
  const seen = [READ, SEARCH, FIELDS].some((method) => opens(name, method)) ? visibleFields(env, model) : []
  const open = usableMethods(env, model, extensions).filter((method) => opens(name, method))
  const shownFields = fields ? seen.filter((field) => fields.includes(field.name)) : methods ? [] : seen
  const shownMethods = methods
    ? open.filter((method) => methods.includes(method.name))
    : fields
      ? []
      : open.filter(({ module }) => module !== 'core')
  const names = (list: readonly { readonly name: string }[]) => new Set(list.map((item) => item.name))
  const [seenNames, openNames] = [names(seen), names(open)]
  const unknown = [
    ...(fields ?? []).filter((name) => !seenNames.has(name)),
    ...(methods ?? []).filter((name) => !openNames.has(name)),
  ]
  return {
    model: model.name,
    name: labels.model(model),
    may: (['read', 'create', 'write', 'unlink'] as const).filter((deed) => mayModel(env, model, deed)),
    fields: Object.fromEntries(shownFields.map((field) => [field.name, fieldText(field, labels)])),
    methods: Object.fromEntries(shownMethods.map((method) => [method.name, methodFacts(method)])),
    ...(unknown.length > 0 && {
      unknown: unknown.slice(0, MOST_HINTS).map((name) => hinted(name, [...seen, ...open])),
    }),
  }
}

/** Most unknown names that suggestions are searched for. */
const MOST_HINTS = 20

/** An unknown name, with similar known ones. */
function hinted(name: string, candidates: readonly { readonly name: string }[]): string {
  const near = alike(
    name,
    candidates.map((candidate) => candidate.name),
  )
  return near.length ? `${name} (perhaps ${near.join(', ')})` : name
}

/** `many2one res.partner, required: Customer`. */
function fieldText(field: FieldDef, labels: Labels): string {
  const { kind, comodel, required, readonly, defaultOf, automatic } = field
  const options = Object.keys(labels.options(field))
  const facts = [
    `${kind}${comodel ? ` ${comodel.name}` : ''}${options.length ? ` (${options.slice(0, 30).join('|')})` : ''}`,
    ...(required && !defaultOf && !automatic ? ['required'] : []),
    ...(readonly || automatic ? ['read-only'] : []),
    ...(field.stored || field.search || field.related ? [] : ['not searchable']),
  ]
  return `${facts.join(', ')}: ${labels.label(field)}`
}

/** Methods that no other call undoes, or that end something that others rely on. */
const ENDING = /^(?:unlink|(?:action|button)_(?:cancel|scrap|archive|lock|close|post)\b)/

/** Whether agents ask a person before they call it. */
export const isDestructive = ({
  name,
  readonly,
  lasting,
}: Pick<MethodDef, 'name' | 'readonly' | 'lasting'>): boolean => !readonly && (lasting || ENDING.test(name))

const methodFacts = (method: MethodDef): object => ({
  parameters: signature(method),
  ...(method.doc && { about: method.doc.slice(0, 300) }),
  ...(method.level === 'model' ? { ids: false } : {}),
  ...(method.readonly ? { reads: true } : { destructive: isDestructive(method) }),
})
