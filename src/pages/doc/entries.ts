// Entries of the search: models, their fields and methods, from the index that the server has for programs.

/** The parts of `/doc/index.json` that the search uses. */
export interface Index {
  readonly models: readonly {
    readonly model: string
    readonly name: string
    readonly fields: Readonly<Record<string, { readonly string: string }>>
    readonly methods: readonly string[]
  }[]
}

export interface Entry {
  readonly kind: 'model' | 'field' | 'method' | 'guide'
  /** Null for a method of every model. */
  readonly model: string | null
  readonly name: string
  readonly label: string
  readonly path: string
  /** The models that have it, for a method of every model. */
  readonly of?: ReadonlySet<string>
  /** The searched text, in lower case. */
  readonly text: string
}

/** A part of a guide, as in `/doc/guides.json`. */
export interface GuidePart {
  readonly path: string
  readonly guide: string
  readonly title: string
  readonly text: string
}

/** Loads the index and the guides. Throws if the server does not send them. */
export async function loadEntries(): Promise<readonly Entry[]> {
  const [index, guides] = await Promise.all([
    loaded<Index>('/doc/index.json'),
    loaded<readonly GuidePart[]>('/doc/guides.json'),
  ])
  return [...entriesOf(index), ...guides.map(guideEntry)]
}

async function loaded<T>(path: string): Promise<T> {
  const answer = await fetch(path)
  if (!answer.ok) throw new Error(`The server answered with status ${answer.status}.`)
  return (await answer.json()) as T
}

/** A part of a guide is found by its words, and named by its title. */
export const guideEntry = ({ path, guide, title, text }: GuidePart): Entry => ({
  kind: 'guide',
  model: null,
  name: title,
  label: title === guide ? '' : guide,
  path,
  text: `${title} ${guide} ${text}`.toLowerCase(),
})

/** Common words for things that have another name here. */
const alsoCalled: Readonly<Record<string, string>> = {
  create: 'add insert new',
  read: 'get fetch',
  search_read: 'find list query select',
  search: 'find query',
  search_count: 'how many',
  write: 'update change edit set',
  unlink: 'delete remove',
  action_archive: 'hide deactivate',
  action_unarchive: 'show activate restore',
  load: 'import',
  export_data: 'csv',
}

/** Forms of a typed word: itself, the singular of a plural, the verb of an inflected form. */
export function formsOf(word: string): readonly string[] {
  const forms = [word]
  if (word.length > 4 && word.endsWith('ies')) forms.push(`${word.slice(0, -3)}y`)
  if (word.length > 4 && /(?:s|x|z|ch|sh)es$/.test(word)) forms.push(word.slice(0, -2))
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) forms.push(word.slice(0, -1))
  if (word.length > 5 && word.endsWith('ing')) forms.push(word.slice(0, -3), `${word.slice(0, -3)}e`)
  if (word.length > 4 && word.endsWith('ed')) forms.push(word.slice(0, -2), word.slice(0, -1))
  // `adding` is `add`, and `getting` is `get`.
  const doubled = forms.flatMap((form) => (/([bdgmnprt])\1$/.test(form) ? [form.slice(0, -1)] : []))
  return [...new Set([...forms, ...doubled])]
}

/** The generic methods that a word names or means. */
const methodsMeant = (forms: readonly string[]): readonly string[] =>
  Object.entries(alsoCalled).flatMap(([name, words]) =>
    forms.some((form) => form === name || words.split(' ').includes(form)) ? [name] : [],
  )

/** Models that a verb and a name lead to, at most. */
const MOST_TOGETHER = 3

/** `delete orders`: the method of every model that a verb means, on the models that the other words name. */
function together(entries: readonly Entry[], words: readonly string[]): readonly Entry[] {
  if (words.length < 2) return []
  return words.flatMap((word, i) => {
    const verbs = methodsMeant(formsOf(word))
    const others = words.filter((_, at) => at !== i).map(formsOf)
    if (verbs.length === 0) return []
    const named = entries.filter(
      ({ kind, text }) =>
        kind === 'model' && others.every((forms) => forms.some((form) => text.includes(form))),
    )
    const models = named.sort((first, other) => first.name.length - other.name.length).slice(0, MOST_TOGETHER)
    return models.flatMap(({ name: model, label, path }) =>
      verbs
        .filter((verb) =>
          entries.some((entry) => entry.model === null && entry.name === verb && entry.of?.has(model)),
        )
        .map(
          (verb): Entry => ({
            kind: 'method',
            model,
            name: verb,
            label,
            path: `${path}#method-${verb}`,
            text: '',
          }),
        ),
    )
  })
}

/** All entries. A method that most models have is one entry, under the first of them. */
export function entriesOf({ models }: Index): readonly Entry[] {
  const having = new Map<string, Set<string>>()
  for (const { model, methods } of models)
    for (const name of methods) having.set(name, (having.get(name) ?? new Set()).add(model))
  const entries = new Map<string, Entry>()
  const add = (entry: Omit<Entry, 'text'>) => {
    const key = `${entry.kind} ${entry.model} ${entry.name}`
    const also = entry.model === null && Object.hasOwn(alsoCalled, entry.name) ? alsoCalled[entry.name] : ''
    // With a dot between them too: people paste `res.partner.name`.
    const whole = entry.kind === 'model' || entry.model === null ? entry.name : `${entry.model}.${entry.name}`
    const text = `${whole} ${entry.name} ${entry.label} ${also}`.toLowerCase()
    if (!entries.has(key)) entries.set(key, { ...entry, text })
  }
  for (const { model, name, fields, methods } of models) {
    const path = `/doc/${encodeURIComponent(model)}`
    add({ kind: 'model', model, name: model, label: name, path })
    for (const method of methods) {
      const of = having.get(method) ?? new Set()
      const entry = { kind: 'method', name: method, path: `${path}#method-${method}` } as const
      add(
        of.size > models.length / 2
          ? { ...entry, model: null, label: 'every model', of }
          : { ...entry, model, label: name },
      )
    }
    for (const [field, { string }] of Object.entries(fields))
      add({ kind: 'field', model, name: field, label: string, path: `${path}#field-${field}` })
  }
  return [...entries.values()]
}

const kinds = ['model', 'method', 'field', 'guide']

/**
 * The entries that hold every word, best first: a name that is the last word, then one that begins with it,
 * then one that holds it; among them models, methods, fields, and what is of `model` before others. Methods
 * of every model lead to those of `model`.
 */
export function search(entries: readonly Entry[], query: string, model: string): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const wanted = words.map(formsOf)
  const lasts = wanted.at(-1)
  if (lasts === undefined) return []
  const rank = ({ kind, name, label, model: of }: Entry) => {
    // `currency` is the name of res.currency, as far as people are concerned.
    const names = kind === 'model' ? [name, ...name.split('.')] : [name]
    const means = of === null && Object.hasOwn(alsoCalled, name) ? (alsoCalled[name] ?? '').split(' ') : []
    const called =
      lasts.some((last) => [...names, ...means, `${of}.${name}`].includes(last)) ||
      (kind !== 'method' && label.toLowerCase() === query.trim().toLowerCase())
    const how = called
      ? 0
      : lasts.some((last) => names.some((name) => name.startsWith(last)))
        ? 1
        : lasts.some((last) => name.includes(last))
          ? 2
          : 3
    return how * 10 + kinds.indexOf(kind) * 2 + (of === model ? 0 : 1)
  }
  const matches = entries
    .filter(({ text }) => wanted.every((forms) => forms.some((form) => text.includes(form))))
    .map((entry) => ({ entry, rank: rank(entry) }))
  const single = matches
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        a.entry.name.length - b.entry.name.length ||
        (a.entry.model?.length ?? 0) - (b.entry.model?.length ?? 0),
    )
    .map(({ entry }) => seenFrom(entry, model))
  return [...together(entries, words), ...single]
}

/** The entry as shown on the page of `model`. */
function seenFrom(entry: Entry, model: string): Entry {
  return entry.of?.has(model)
    ? { ...entry, path: `/doc/${encodeURIComponent(model)}#method-${entry.name}` }
    : entry
}
