// The caller that an agent acts for, and the parts of the server that a tool may use.
import type { Extensions } from '../config/index.ts'
import type {
  Agent,
  Deed,
  fieldsByUse,
  Performed,
  runReadOnly,
  visibleAmong,
} from '../services/agents/index.ts'
import type { Owner } from '../services/calls/caller.ts'
import type { RequestPreferences } from '../services/request.ts'
import type { Backend } from '../wire/backend.ts'

/** The request of a client, as far as tools need to know it. */
export interface Visit {
  readonly backend: Backend
  readonly owner: Owner & { readonly requestId: string }
  readonly agent: Agent
  /** Extensions of the server. */
  readonly extensions: Extensions
  /** Our address, as the client knows it. */
  readonly base: string
}

/** Values as programs want them. */
export const TYPED = { zone: null, decimal: false } as const

/** Calls a method that only reads, as the caller; its result, and the headers of its answer. */
export async function callReadOnly(
  { backend, owner }: Visit,
  {
    model,
    method,
    body,
  }: { readonly model: string; readonly method: string; readonly body: Record<string, unknown> },
  preferences: Partial<RequestPreferences> = {},
): Promise<{ readonly value: unknown; readonly headers: ReadonlyMap<string, string> }> {
  const headers = new Map<string, string>()
  const { ids, ...named } = body
  const { json } = await backend.call(backend.databases, {
    ...owner,
    model,
    method,
    body: () => ({ ...(ids !== undefined && { ids }), named: Object.assign(Object.create(null), named) }),
    ability: 'mcp',
    asks: {
      typed: TYPED,
      problem: true,
      ...preferences,
      tell: (name, value) => void headers.set(name, value),
    },
  })
  return { value: JSON.parse(json), headers }
}

/** Kilobytes of an answer, where the key's policy says nothing; the protocol sends what is in it twice. */
const USUAL_BUDGET = 40

/** Most bytes of an answer; looked up after its data was read. */
export const budgetOf = async ({ backend, owner }: Visit): Promise<number> =>
  ((await backend.agents.budget(backend.databases, owner)) ?? USUAL_BUDGET) * 1024

/** The verbs of agents, as a visit uses them. */
export const verbs = {
  runReadOnly: <T>({ backend, owner }: Visit, work: Parameters<typeof runReadOnly<T>>[2]): Promise<T> =>
    backend.agents.runReadOnly(backend.databases, owner, work),
  fieldsByUse: ({ backend, owner }: Visit, model: string): ReturnType<typeof fieldsByUse> =>
    backend.agents.fieldsByUse(backend.databases, owner, model),
  visibleAmong: (
    { backend, owner }: Visit,
    model: string,
    ids: readonly number[],
  ): ReturnType<typeof visibleAmong> => backend.agents.visibleAmong(backend.databases, owner, model, ids),
  perform: ({ backend, owner }: Visit, deed: Deed): Promise<Performed> =>
    backend.agents.perform(backend.databases, owner, deed),
}
