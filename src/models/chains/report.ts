// Reports on the verification of chains: the state of a chain, and the first break.
import { CHAIN_PROBLEMS, type ChainBreak } from '../../kit/chain.ts'
import { id as identifier, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import { defOf, type SealedRecords } from './sealed.ts'

/** The first position where a chain differs from what was sealed. */
export interface FoundBreak {
  /** The position in the chain; null for a record without one. */
  readonly position: number | null
  readonly problem: ChainBreak['problem']
  /** The record, if known: model, id, and its name for users. */
  readonly model: string | null
  readonly id: number | null
  readonly name: string | null
  readonly message: string
}

/** The result of verifying a chain. */
export interface ChainReport {
  /** The record that the chain belongs to, and a name for the chain. */
  readonly model: string
  readonly id: number
  readonly series: string
  readonly name: string
  /**
   * Number of sealed records, and the hash of the last one. Stored outside of the database, they detect
   * a chain that was rewritten.
   */
  readonly sealed: number
  readonly hash: string
  /** Records of the same kind and owner that are not sealed: those older than the chain. */
  readonly unsealed: number
  readonly break: FoundBreak | null
}

/** The owner of a chain, and the series of the chain. */
export interface ChainName {
  readonly model: string
  readonly record: number
  readonly series: string
}

/** A name for a chain: the owner's display name, with the series. */
export async function titleOf(
  env: Environment,
  sealed: readonly SealedRecords[],
  { model, record, series }: ChainName,
): Promise<string> {
  const owner = sealed.find(({ chain }) => chain.model === model)
  const [row] = owner
    ? await env.query<[string | null]>(
        sql`SELECT ${identifier(owner.chain.title)} FROM ${identifier(defOf(env.unit.registry, model).table)} WHERE id = ${record}::int`,
      )
    : []
  return [row?.[0] ?? `${model} ${record}`, series].filter(Boolean).join(' ')
}

export type Named = Pick<FoundBreak, 'model' | 'id' | 'name'>

/** A break with its message. `record` is the record that it concerns, if that is certain. */
export function breakAt(
  position: number | null,
  problem: ChainBreak['problem'],
  record: Named | null,
): FoundBreak {
  const { model, id, name } = record ?? { model: null, id: null, name: null }
  const subject = model === null ? `Entry ${position} of the chain` : `${name ?? 'A record'} (${model} ${id})`
  return { position, problem, model, id, name, message: `${subject} ${CHAIN_PROBLEMS[problem]}.` }
}
