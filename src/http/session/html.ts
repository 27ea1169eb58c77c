// The pages of sessions that work without script, and the texts that client libraries look for in them
// (spec/client-needs.md section 4).
import { embeddedJson, type Html, html, joined } from '../../kit/html.ts'

/** The parts of a page for `sendBuiltPage`. */
export interface Parts {
  readonly title: string
  readonly plain: Html
  readonly note: Html
}

export interface LoginPage {
  readonly database: string
  readonly csrf: string
  /** The session information, on a line of its own. */
  readonly info: Readonly<Record<string, unknown>>
  readonly redirect?: string | undefined
  readonly login?: string | undefined
  /** Why the form comes again. */
  readonly message?: string | undefined
  /** Seconds until another attempt is judged. */
  readonly wait?: number | undefined
  /** The reason for the end of a session. */
  readonly notice?: string | undefined
}

/**
 * The login form. Its script shows the waiting time and the typed password, and reports when the server is
 * away.
 */
export function loginPage({
  database,
  csrf,
  info,
  redirect = '',
  login = '',
  message,
  wait,
  notice,
}: LoginPage): Parts {
  const title = `Sign in to ${database}`
  const hidden = { csrf_token: csrf, db: database, type: 'password', redirect }
  return {
    title,
    note: joined([csrfNote(csrf), infoNote(info)], '\n'),
    plain: joined(
      [
        html`<div class="card">`,
        html`<h1>Sign in</h1><p class="faint">Database <b>${database}</b></p>`,
        notice === undefined ? '' : html`<p class="notice good" role="status">${notice}</p>`,
        message === undefined ? '' : refusal(message, wait),
        html`<form method="post" action="/web/login">`,
        hiddenFields(hidden),
        input(
          'login',
          'Login',
          html`autocomplete="username" autocapitalize="off" spellcheck="false" value="${login}"${login ? '' : html` autofocus`}`,
        ),
        input(
          'password',
          'Password',
          html`type="password" autocomplete="current-password"${login ? html` autofocus` : ''}`,
          message !== undefined,
        ),
        html`<p><button class="primary wide">Sign in</button></p></form></div>`,
      ],
      '\n',
    ),
  }
}

/** A field with its label; one that was refused is tied to the reason. */
export function input(name: string, label: string, attributes: Html, failed = false): Html {
  const tied = failed ? html` aria-describedby="failure"` : ''
  const field = html`<input id="${name}" name="${name}" required ${attributes}${tied}>`
  return html`<div class="field"><label for="${name}">${label}</label><span class="with-button">${field}</span></div>`
}

/** Why a form comes again; the script counts the seconds down until another attempt is judged. */
export function refusal(message: string, wait: number | undefined): Html {
  const waiting =
    wait === undefined ? '' : html` <span data-wait="${wait}">Time left: ${duration(wait)}.</span>`
  return html`<p class="notice bad" role="alert" id="failure">${message}${waiting}</p>`
}

export const hiddenFields = (fields: Readonly<Record<string, string>>): Html =>
  joined(
    Object.entries(fields).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    ),
    '\n',
  )

function duration(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), Math.ceil(seconds % 60)]
  return minutes ? `${minutes} min ${rest} s` : `${rest} s`
}

/** The list of databases to choose from; null if the server does not list them. */
export function selectorPage({
  databases,
  csrf,
}: {
  databases: readonly string[] | null
  csrf: string
}): Parts {
  return {
    title: 'Choose a database',
    note: csrfNote(csrf),
    plain: html`<div class="card"><h1>Choose a database</h1>${databases ? databaseLinks(databases) : databaseForm}</div>`,
  }
}

function databaseLinks(databases: readonly string[]): Html {
  const items = databases.map(
    (name) => html`<li><a class="button wide" href="/web?db=${encodeURIComponent(name)}">${name}</a></li>`,
  )
  const list = items.length ? html`<ul class="choices">${items}</ul>` : html`<p>There is no database yet.</p>`
  return html`${list}<p><a href="/web/database/manager">Manage databases</a></p>`
}

const databaseForm = html`<form action="/web"><div class="field"><label for="db">Name of the database</label><input id="db" name="db" required autocapitalize="off" spellcheck="false"></div><p><button class="primary wide">Go on</button></p></form>`

/** A key of the reader, as its owner sees it. */
interface ShownKey {
  readonly name: string
  readonly expiring: 'expired' | '1' | '7' | '14' | false
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  readonly expiration_date: string | false
  readonly last_used: string | false
  readonly last_address: string | false
  readonly uses: number
}

/** Facts of the first page about the shop and the API keys of its reader. */
export interface Overview {
  /** Of what the reader may see. */
  readonly counts: readonly {
    readonly title: string
    readonly model: string
    readonly count: number
    readonly isMore: boolean
  }[]
  readonly keys: readonly ShownKey[]
  /** A first call, for a shell. */
  readonly curl: string
}

/** The page of a signed-in user, with the session information on one line. */
export function homePage(
  info: Readonly<Record<string, unknown>>,
  { mayDocument }: { mayDocument: boolean },
  { counts, keys, curl }: Overview,
): Parts {
  const item = (path: string, title: string, text: string) =>
    html`<li class="card"><h2><a href="${path}">${title}</a></h2><p class="faint">${text}</p></li>`
  return {
    title: 'Home',
    note: infoNote(info),
    plain: joined(
      [
        html`<h1>Hello, ${String(info.name)}</h1>`,
        html`<p class="faint">Signed in as <b>${String(info.username)}</b>, database <b>${String(info.db)}</b>.</p>`,
        endings(keys.filter(({ expiring }) => expiring !== false)),
        countsCard(counts, mayDocument),
        callsCard(keys, curl, mayDocument),
        html`<ul class="plain">`,
        item('/web/account', 'Account security', 'API keys for programs, your password, your sessions.'),
        mayDocument
          ? item(
              '/doc',
              'Documentation',
              'Models, fields and methods of this database, with examples to copy and try.',
            )
          : '',
        html`</ul>`,
      ],
      '\n',
    ),
  }
}

/** A moment in UTC; the script replaces it with the reader's local form. */
const moment = (text: string): Html => html`<time datetime="${text.replace(' ', 'T')}Z">${text} UTC</time>`

/** Keys that are shown of each kind: there may be thousands. */
const MOST_KEYS = 5

const manyMore = (n: number): Html =>
  n > MOST_KEYS ? html`<p class="faint">And <a href="/web/account">${n - MOST_KEYS} more</a>.</p>` : html``

const endings = (keys: readonly ShownKey[]): Html =>
  html`${joined(keys.slice(0, MOST_KEYS).map(ending), '\n')}${manyMore(keys.length)}`

function ending({ name, expiring, expiration_date }: ShownKey): Html {
  const when = expiration_date ? html` ${moment(expiration_date)}` : ''
  const words =
    expiring === 'expired'
      ? html`expired${when}. Programs that use it are refused.`
      : html`expires${when}. Create another one before then.`
  return html`<p class="notice warn">The key <b>${name}</b> ${words} <a href="/web/account">API keys</a></p>`
}

const number = new Intl.NumberFormat('en')

function countsCard(counts: Overview['counts'], mayDocument: boolean): Html {
  if (counts.length === 0) return html``
  const items = counts.map(({ title, model, count, isMore }) => {
    const label = mayDocument ? html`<a href="/doc/${encodeURIComponent(model)}">${title}</a>` : title
    return html`<div><dt>${label}</dt><dd>${isMore ? 'over ' : ''}${number.format(count)}</dd></div>`
  })
  return html`<section class="card" aria-labelledby="counts"><h2 id="counts">The shop</h2><dl class="counts">${items}</dl></section>`
}

function callsCard(keys: readonly ShownKey[], curl: string, mayDocument: boolean): Html {
  const used = keys
    .filter(({ last_used }) => last_used !== false)
    .sort((first, other) => (first.last_used < other.last_used ? 1 : -1))
  const rows = used.slice(0, MOST_KEYS).map(({ name, last_used, last_address, uses }) => {
    const by = last_address ? `, from ${last_address}` : ''
    return html`<li><b>${name}</b>: ${moment(String(last_used))}${by}, ${uses === 1 ? 'once' : `${uses} times`} in all</li>`
  })
  const calls = rows.length
    ? html`<h3>Last calls by your keys</h3><ul>${rows}</ul>${manyMore(used.length)}`
    : ''
  return joined(
    [
      html`<section class="card" aria-labelledby="calls"><h2 id="calls">API calls</h2>${calls}`,
      html`<h3>First steps</h3><ol class="steps"><li><a href="/web/account">Create an API key</a>.</li>`,
      html`<li>Store it in a variable of your shell: <code>read -rs API_KEY</code>, then paste it and press Enter.</li>`,
      html`<li>Make a first call:<div class="curl" data-label="First call"><pre>${curl}</pre></div></li>`,
      mayDocument
        ? html`<li>Find other calls in the <a href="/doc">documentation</a>, and try them there.</li>`
        : '',
      html`</ol></section>`,
    ],
    '\n',
  )
}

const infoNote = (info: Readonly<Record<string, unknown>>): Html =>
  html`odoo.__session_info__ = ${embeddedJson(info)};`

const csrfNote = (csrf: string): Html => html`var odoo = {\n    csrf_token: "${csrf}",\n};`
