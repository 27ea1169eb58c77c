// The pages of sessions that work without script, and the texts that client libraries look for in them
// (spec/client-needs.md section 4).
import { embeddedJson, escapeHtml } from '../../kit/html.ts'

/** What a page of `sendBuiltPage` shows and says. */
interface Parts {
  readonly title: string
  readonly plain: string
  readonly note: string
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
  /** Why somebody who was signed in is not any more. */
  readonly notice?: string | undefined
}

/** The login form. Its script counts the time down, shows what was typed and says when the server is away. */
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
  const waiting = wait === undefined ? '' : ` <span data-wait="${wait}">Time left: ${duration(wait)}.</span>`
  return {
    title,
    note: `${csrfNote(csrf)}\n${infoNote(info)}`,
    plain: [
      '<div class="card">',
      `<h1>Sign in</h1><p class="faint">Database <b>${escapeHtml(database)}</b></p>`,
      notice === undefined ? '' : `<p class="notice good" role="status">${escapeHtml(notice)}</p>`,
      message === undefined
        ? ''
        : `<p class="notice bad" role="alert" id="failure">${escapeHtml(message)}${waiting}</p>`,
      '<form method="post" action="/web/login">',
      ...Object.entries(hidden).map(
        ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
      ),
      input(
        'login',
        'Login',
        `autocomplete="username" autocapitalize="off" spellcheck="false" value="${escapeHtml(login)}"${login ? '' : ' autofocus'}`,
      ),
      input(
        'password',
        'Password',
        `type="password" autocomplete="current-password"${login ? ' autofocus' : ''}`,
        message !== undefined,
      ),
      '<p><button class="primary wide">Sign in</button></p></form></div>',
    ].join('\n'),
  }
}

function input(name: string, label: string, attributes: string, failed = false): string {
  const tied = failed ? ' aria-describedby="failure"' : ''
  const field = `<input id="${name}" name="${name}" required ${attributes}${tied}>`
  return `<div class="field"><label for="${name}">${label}</label><span class="with-button">${field}</span></div>`
}

function duration(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), Math.ceil(seconds % 60)]
  return minutes ? `${minutes} min ${rest} s` : `${rest} s`
}

/**
 * The list of databases to choose from; null where the server keeps it to itself, and people know a name or
 * nothing.
 */
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
    plain: `<div class="card"><h1>Choose a database</h1>${databases ? databaseLinks(databases) : databaseForm}</div>`,
  }
}

function databaseLinks(databases: readonly string[]): string {
  const items = databases.map(
    (name) =>
      `<li><a class="button wide" href="/web?db=${encodeURIComponent(name)}">${escapeHtml(name)}</a></li>`,
  )
  const list = items.length
    ? `<ul class="choices">${items.join('')}</ul>`
    : '<p>There is no database yet.</p>'
  return `${list}<p><a href="/web/database/manager">Manage databases</a></p>`
}

const databaseForm =
  '<form action="/web"><div class="field"><label for="db">Name of the database</label><input id="db" name="db" required autocapitalize="off" spellcheck="false"></div>' +
  '<p><button class="primary wide">Go on</button></p></form>'

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

/** What the first page tells of the shop and of its reader's programs. */
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

/** The page of somebody who has signed in, with the session information on one line. */
export function homePage(
  info: Readonly<Record<string, unknown>>,
  { mayDocument }: { mayDocument: boolean },
  { counts, keys, curl }: Overview,
): Parts {
  const item = (path: string, title: string, text: string) =>
    `<li class="card"><h2><a href="${path}">${title}</a></h2><p class="faint">${text}</p></li>`
  return {
    title: 'Home',
    note: infoNote(info),
    plain: [
      `<h1>Hello, ${escapeHtml(String(info.name))}</h1>`,
      `<p class="faint">Signed in as <b>${escapeHtml(String(info.username))}</b>, database <b>${escapeHtml(String(info.db))}</b>.</p>`,
      endings(keys.filter(({ expiring }) => expiring !== false)),
      countsCard(counts, mayDocument),
      callsCard(keys, curl, mayDocument),
      '<ul class="plain">',
      item('/web/account', 'Account security', 'API keys for programs, your password, your sessions.'),
      mayDocument
        ? item(
            '/doc',
            'Documentation',
            'Models, fields and methods of this database, with examples to copy and try.',
          )
        : '',
      '</ul>',
    ].join('\n'),
  }
}

/** A moment of the server; the script tells it in the reader's words. */
const moment = (text: string): string =>
  `<time datetime="${escapeHtml(text.replace(' ', 'T'))}Z">${escapeHtml(text)} UTC</time>`

/** Keys that are shown of each kind: there may be thousands. */
const MOST_KEYS = 5

const manyMore = (n: number): string =>
  n > MOST_KEYS ? `<p class="faint">And <a href="/web/account">${n - MOST_KEYS} more</a>.</p>` : ''

const endings = (keys: readonly ShownKey[]): string =>
  keys.slice(0, MOST_KEYS).map(ending).join('\n') + manyMore(keys.length)

function ending({ name, expiring, expiration_date }: ShownKey): string {
  const when = expiration_date ? ` ${moment(expiration_date)}` : ''
  const words =
    expiring === 'expired'
      ? `expired${when}. Programs that use it are refused.`
      : `expires${when}. Create another before.`
  return `<p class="notice warn">The key <b>${escapeHtml(name)}</b> ${words} <a href="/web/account">API keys</a></p>`
}

const number = new Intl.NumberFormat('en')

function countsCard(counts: Overview['counts'], mayDocument: boolean): string {
  if (counts.length === 0) return ''
  const items = counts.map(({ title, model, count, isMore }) => {
    const label = mayDocument ? `<a href="/doc/${encodeURIComponent(model)}">${title}</a>` : title
    return `<div><dt>${label}</dt><dd>${isMore ? 'over ' : ''}${number.format(count)}</dd></div>`
  })
  return `<section class="card" aria-labelledby="counts"><h2 id="counts">The shop</h2><dl class="counts">${items.join('')}</dl></section>`
}

function callsCard(keys: readonly ShownKey[], curl: string, mayDocument: boolean): string {
  const used = keys
    .filter(({ last_used }) => last_used !== false)
    .sort((one, other) => (one.last_used < other.last_used ? 1 : -1))
  const rows = used.slice(0, MOST_KEYS).map(({ name, last_used, last_address, uses }) => {
    const by = last_address ? `, from ${escapeHtml(last_address)}` : ''
    return `<li><b>${escapeHtml(name)}</b>: ${moment(String(last_used))}${by}, ${uses === 1 ? 'once' : `${uses} times`} in all</li>`
  })
  const calls = rows.length
    ? `<h3>Last calls by your keys</h3><ul>${rows.join('')}</ul>${manyMore(used.length)}`
    : ''
  return [
    `<section class="card" aria-labelledby="calls"><h2 id="calls">Calls of programs</h2>${calls}`,
    '<h3>First steps</h3><ol class="steps"><li><a href="/web/account">Create an API key</a>.</li>',
    '<li>Keep it in a variable of your shell: <code>read -rs API_KEY</code>, then paste it and press Enter.</li>',
    `<li>Ask for something:<div class="curl" data-label="First call"><pre>${escapeHtml(curl)}</pre></div></li>`,
    mayDocument
      ? '<li>Look up what else there is in the <a href="/doc">documentation</a>, and try it there.</li>'
      : '',
    '</ol></section>',
  ].join('\n')
}

const infoNote = (info: Readonly<Record<string, unknown>>): string =>
  `odoo.__session_info__ = ${embeddedJson(info)};`

const csrfNote = (csrf: string): string => `var odoo = {\n    csrf_token: "${csrf}",\n};`
