// One portion of the check of chains (comptoir.chain/verify), and the text that says where the next begins.
import {
  auditReport,
  type ChainPlace,
  type ChainReport,
  type SealedRecords,
  verifyAudit,
  verifyChains,
} from '#engine'
import type { Environment } from '#models'
import { ValidationError } from '../../../errors.ts'

/** The answer of `comptoir.chain/verify`. */
export interface Checked {
  /** Whether all was checked, with the portions before, and nothing differs from what was sealed. */
  readonly ok: boolean
  /** Chains whose check ended in this portion. */
  readonly chains: readonly ChainReport[]
  /** `after` of the next portion; null at the end. */
  readonly next: string | null
}

/** The audit log comes last, and is in no row of `comptoir.chain`. */
const AUDIT = 0

/** So many sealed records can be asked for at most. */
const MOST = 100_000

/**
 * Checks about `limit` sealed records from `after` on, in the snapshot of the call. Chains grow at their ends
 * alone: portions of several transactions say together what one transaction would. Throws ValidationError
 * for another `after` than an answer gave.
 */
export async function checkPortion(
  env: Environment,
  sealed: readonly SealedRecords[],
  after: unknown,
  limit: number,
): Promise<Checked> {
  if (limit < 1 || limit > MOST)
    throw new ValidationError(
      `limit must be a number from 1 to ${MOST}: so many sealed records are read in one call.`,
    )
  const { from, isBroken } = after === null ? { from: undefined, isBroken: false } : placeIn(after)
  const chains: ChainReport[] = []
  const next = await portion(env, sealed, from, limit, chains)
  const broken = isBroken || chains.some((chain) => chain.break !== null)
  return { ok: !next && !broken, chains, next: next && textOf(next, broken) }
}

async function portion(
  env: Environment,
  sealed: readonly SealedRecords[],
  from: ChainPlace | undefined,
  links: number,
  chains: ChainReport[],
): Promise<ChainPlace | null> {
  if (from?.chain !== AUDIT) {
    const next = await verifyChains(env, sealed, { links, from }, (report) => chains.push(report))
    if (next) return next
  }
  const result = await verifyAudit(env, from?.chain === AUDIT ? from.head : undefined, links)
  if (result.next) return { chain: AUDIT, link: 0, head: result.next }
  chains.push(auditReport(result))
  return null
}

const PLACE = /^(whole|broken)\.(\d{1,10})\.(\d{1,10})\.(\d{1,15})\.([0-9a-f]{64})$/

const textOf = ({ chain, link, head }: ChainPlace, isBroken: boolean): string =>
  [isBroken ? 'broken' : 'whole', chain, link, head.position, head.hash].join('.')

function placeIn(text: unknown): { readonly from: ChainPlace; readonly isBroken: boolean } {
  const [, state, chain, link, position, hash = ''] = PLACE.exec(String(text)) ?? []
  if (!state || Number(chain) > 2 ** 31 - 1 || Number(link) > 2 ** 31 - 1)
    throw new ValidationError(
      'after must be the value of next in the previous response; omit it to start from the beginning.',
    )
  const head = { position: Number(position), hash }
  return { from: { chain: Number(chain), link: Number(link), head }, isBroken: state === 'broken' }
}
