// The calls about one's own second factor.
import { call, type Proof } from '../shared/call.ts'
import type { SecondFactor } from './facts.ts'
import { proofArguments } from './proof.tsx'

/** A secret for an authenticator app, shown once. */
export interface Enrolment {
  readonly secret: string
  readonly uri: string
}

interface NewCodes {
  readonly recovery_codes: readonly string[]
}

export const readFactor = (): Promise<SecondFactor> => call('res.users', 'second_factor')

export const beginFactor = (proof: Proof, text: string): Promise<Enrolment> =>
  call('res.users', 'begin_second_factor', proofArguments(proof, text))

export const confirmFactor = async (code: string): Promise<readonly string[]> =>
  (await call<NewCodes>('res.users', 'confirm_second_factor', [code])).recovery_codes

export const renewCodes = async (code: string): Promise<readonly string[]> =>
  (await call<NewCodes>('res.users', 'renew_recovery_codes', [code])).recovery_codes

export const disableFactor = (code: string): Promise<true> =>
  call('res.users', 'disable_second_factor', [code])
