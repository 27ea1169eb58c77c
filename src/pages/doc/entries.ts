// What can be searched for: models, their fields and methods, from the index that the server has for programs.

/** What `/doc/index.json` says, as far as the search wants it. */
export interface Index {
  readonly models: readonly {
    readonly model: string
    readonly name: string
    readonly fields: Readonly<Record<string, { readonly string: string }>>
    readonly methods: readonly string[]
  }[]
}

export interface Entry {
  readonly kind: 'model' | 'field' | 'method'
  /** Null for a method of every model. */
  readonly model: string | null
  readonly name: string
  readonly label: string
  readonly path: string
  /** The models that have it, where it is a method of every model. */
  readonly of?: ReadonlySet<string>
  /** In small letters, what words are looked for in. */
  readonly text: string
}

/** Asks the server for the index. Throws where it gives none. */
export async function loadEntries(): Promise<readonly Entry[]> {
  const answer = await fetch('/doc/index.json')
  if (!answer.ok) throw new Error(`The server answered with status ${answer.status}.`)
  return entriesOf((await answer.json()) as Index)
}

/** Words by which people look for what has another name here. */
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

/** All entries. A method that most models have is one entry, under the first of them. */
export function entriesOf({ models }: Index): readonly Entry[] {
  const having = new Map<string, Set<string>>()
  for (const { model, methods } of models) for (const name of methods) having.set(name, (having.get(name) ?? new Set()).add(model))
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
      add(of.size > models.length / 2 ? { ...entry, model: null, label: 'every model', of } : { ...entry, model, label: name })
    }
    for (const [field, { string }] of Object.entries(fields))
      add({ kind: 'field', model, name: field, label: string, path: `${path}#field-${field}` })
  }
  return [...entries.values()]
}

const kinds = ['model', 'method', 'field']

/**
 * The entries that hold every word, best first: a name that is the last word, then one that begins with it, then one that holds it;
 * among them models, methods, fields, and what is of `model` before others. Methods of every model lead to those of `model`.
 */
export function search(entries: readonly Entry[], query: string, model: string): readonly Entry[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean)
  const last = wanted.at(-1)
  if (last === undefined) return []
  const rank = ({ kind, name, label, model: of }: Entry) => {
    // `currency` is the name of res.currency, as far as people are concerned.
    const names = kind === 'model' ? [name, ...name.split('.')] : [name]
    const words = of === null && Object.hasOwn(alsoCalled, name) ? (alsoCalled[name] ?? '').split(' ') : []
    const called =
      [...names, ...words, `${of}.${name}`].includes(last) || (kind !== 'method' && label.toLowerCase() === query.trim().toLowerCase())
    const how = called ? 0 : names.some((one) => one.startsWith(last)) ? 1 : name.includes(last) ? 2 : 3
    return how * 10 + kinds.indexOf(kind) * 2 + (of === model ? 0 : 1)
  }
  const found = entries.filter(({ text }) => wanted.every((word) => text.includes(word))).map((entry) => ({ entry, rank: rank(entry) }))
  return found.sort((a, b) => a.rank - b.rank || a.entry.name.length - b.entry.name.length).map(({ entry }) => seenFrom(entry, model))
}

/** The entry as it is for people who look at `model`. */
function seenFrom(entry: Entry, model: string): Entry {
  return entry.of?.has(model) ? { ...entry, path: `/doc/${encodeURIComponent(model)}#method-${entry.name}` } : entry
}
