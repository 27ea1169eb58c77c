// Facts that the server writes into the page (src/http/session/pages.ts).

/** The second factor of this user, as `res.users.second_factor` returns it. */
export interface SecondFactor {
  readonly enabled: boolean
  /** UTC; false while it is off. */
  readonly since: string | false
  readonly recovery_codes: number
  readonly required: boolean
}

export interface Facts {
  readonly uid: number
  readonly name: string
  readonly login: string
  readonly database: string
  readonly isAdministrator: boolean
  readonly secondFactor: SecondFactor
  /** Whether this user may have webhooks. */
  readonly hasWebhooks: boolean
  /** Where calls go, such as `https://shop.example.com`. */
  readonly origin: string
}
