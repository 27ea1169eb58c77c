// Contract of methods of users about their second factor (decision 0042).

import type { Enrolment, SecondFactorStatus } from '#engine'
import { optional, required, returns } from '#models'

const code = required<unknown>('any', {
  doc: 'A code of the authenticator app, or a recovery code',
  annotation: 'str',
})
const codes = returns<{ recovery_codes: readonly string[] }>(
  'object',
  'dict',
  'recovery_codes: each opens one login without the app; shown this once',
)

/** Parameters for a proof of identity. */
export const proof = {
  password: optional<unknown>('any', null, {
    doc: "The caller's password, where they have no second factor",
    annotation: 'str | None',
  }),
  code: optional<unknown>('any', null, {
    doc: 'A code of the authenticator app, or a recovery code, where they have one',
    annotation: 'str | None',
  }),
} as const

export const secondFactorMethods = {
  second_factor: {
    doc: "The state of the caller's second factor.",
    level: 'model',
    readonly: true,
    params: {},
    returns: returns<SecondFactorStatus>(
      'object',
      'dict',
      'enabled, since (UTC, false while it is off), recovery_codes (how many are left), required',
    ),
  },
  begin_second_factor: {
    doc: 'Returns a secret for an authenticator app. It is used once confirm_second_factor was called. In browser sessions only.',
    level: 'model',
    secret: true,
    params: proof,
    returns: returns<Enrolment>(
      'object',
      'dict',
      'secret, and uri: the same as an otpauth address for links and QR codes; shown this once',
    ),
  },
  confirm_second_factor: {
    doc: "Activates the caller's second factor with the first code of the proposed secret, and ends their other browser sessions.",
    level: 'model',
    secret: true,
    params: { code: required<unknown>('any', { doc: 'A code of the app', annotation: 'str' }) },
    returns: codes,
  },
  disable_second_factor: {
    doc: "Switches the caller's second factor off. In browser sessions only.",
    level: 'model',
    params: { code },
    returns: returns<true>('boolean', 'bool'),
  },
  renew_recovery_codes: {
    doc: 'Replaces the recovery codes of the caller. In browser sessions only.',
    level: 'model',
    secret: true,
    params: { code },
    returns: codes,
  },
  reset_second_factor: {
    doc: 'Removes the second factor of other users who lost it, and ends their browser sessions.',
    params: {},
    returns: returns<true>('boolean', 'bool'),
  },
} as const
