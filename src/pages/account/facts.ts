// What the server puts beside the page (src/http/session/pages.ts).

export interface Facts {
  readonly uid: number
  readonly name: string
  readonly login: string
  readonly database: string
  readonly isAdministrator: boolean
  /** Whether this user may have webhooks. */
  readonly hasWebhooks: boolean
  /** Where calls go, such as `https://shop.example.com`. */
  readonly origin: string
}
