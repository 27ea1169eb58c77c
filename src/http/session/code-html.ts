// The pages of the second step of signing in: the form for the code, and recovery codes, shown once.
import { type Html, html, joined } from '../../kit/html.ts'
import { hiddenFields, input, type Parts, refusal } from './html.ts'
import { CODE, LOGOUT } from './paths.ts'

interface CodePage {
  readonly database: string
  readonly login: string
  readonly csrf: string
  readonly back: string
  /** The secret for setting up an app, if this is its first code. */
  readonly enrolment: { readonly secret: string; readonly uri: string } | null
  readonly refused?: { readonly message: string; readonly wait: number | undefined } | undefined
}

const NOTHING = html``

/** The form for the code; with the secret if an app has to be set up first. */
export function codePage({ database, login, csrf, back, enrolment, refused }: CodePage): Parts {
  const title = enrolment ? 'Set up a second factor' : 'Second factor'
  const attributes = html`autocomplete="one-time-code" autocapitalize="off" spellcheck="false" autofocus`
  const hint = enrolment
    ? 'The six digits that the app shows now.'
    : 'The six digits that your authenticator app shows now, or one of your recovery codes.'
  return {
    title,
    note: NOTHING,
    plain: joined(
      [
        html`<div class="card"><h1>${title}</h1>`,
        html`<p class="faint">Signing in to <b>${database}</b> as <b>${login}</b></p>`,
        enrolment ? setUp(enrolment) : NOTHING,
        refused ? refusal(refused.message, refused.wait) : NOTHING,
        html`<form method="post" action="${CODE}">${hiddenFields({ csrf_token: csrf, redirect: back })}`,
        html`${input('code', 'Code', attributes, refused !== undefined)}<p class="faint">${hint}</p>`,
        html`<p><button class="primary wide">${enrolment ? 'Switch on and sign in' : 'Sign in'}</button></p></form>`,
        html`<form method="post" action="${LOGOUT}">${hiddenFields({ csrf_token: csrf })}<p><button class="quiet">Cancel</button></p></form></div>`,
      ],
      '\n',
    ),
  }
}

const setUp = ({ secret, uri }: NonNullable<CodePage['enrolment']>): Html =>
  joined(
    [
      html`<p>Administrators of this database sign in with two factors. Set up an authenticator app on your phone:</p>`,
      html`<ol><li>On the phone, <a href="${uri}">open it in the app</a>. Elsewhere, add an account in the app and type this key:`,
      html`<p><code>${secret.replace(/.{4}(?=.)/g, '$& ')}</code></p></li>`,
      html`<li>Type the code that the app shows.</li></ol>`,
    ],
    '\n',
  )

/** Recovery codes of a new second factor, after the sign-in. */
export function recoveryPage(codes: readonly string[], back: string): Parts {
  const items = codes.map((code) => html`<li><code>${code}</code></li>`)
  return {
    title: 'Recovery codes',
    note: NOTHING,
    plain: joined(
      [
        html`<div class="card"><h1>Recovery codes</h1>`,
        html`<p class="notice good" role="status">Your second factor is on, and you are signed in.</p>`,
        html`<p>Each of these codes signs you in once without your phone. Print them or keep them in a password manager: they are not shown again.</p>`,
        html`<ul class="codes">${items}</ul>`,
        html`<p><a class="button primary" href="${back}">I have stored them</a></p></div>`,
      ],
      '\n',
    ),
  }
}
