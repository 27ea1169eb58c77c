// The pages of sessions as HTML: plain forms, and the texts that client libraries look for in them. They run no script.
import { escapeHtml } from '../manager-page.ts'

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:4rem auto;padding:0 1rem;color:#222}label{display:block;margin:.6rem 0}' +
  'input,button{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}[role=alert]{border-left:4px solid #b00020;padding:.5rem 1rem;background:#fdecea}'

/** JSON inside of a script element: on one line, and nothing in it ends the element. */
function embedded(value: unknown): string {
  return JSON.stringify(value).replace(/[<\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** `script` is text for those who read the page; browsers are told not to run it. */
function page(title: string, script: string, body: string): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style><script>\n${script}\n</script></head><body><main><h1>${escapeHtml(title)}</h1>`,
    body,
    '</main></body></html>',
  ].join('\n')
}

export interface LoginPage {
  readonly database: string
  readonly csrf: string
  readonly redirect?: string | undefined
  readonly login?: string | undefined
  readonly message?: string
}

/** The login form. */
export function loginPage({ database, csrf, redirect = '', login = '', message }: LoginPage): string {
  const hidden = { csrf_token: csrf, db: database, type: 'password', redirect }
  const inputs = Object.entries(hidden).map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
  return page(
    `Sign in to ${database}`,
    csrfScript(csrf),
    [
      message === undefined ? '' : `<p role="alert">${escapeHtml(message)}</p>`,
      '<form method="post" action="/web/login">',
      ...inputs,
      `<label>Login <input name="login" required autofocus autocomplete="username" value="${escapeHtml(login)}"></label>`,
      '<label>Password <input name="password" type="password" required autocomplete="current-password"></label>',
      '<button>Sign in</button></form>',
    ].join('\n'),
  )
}

/** The list of databases to choose from. */
export function selectorPage({ databases, csrf }: { databases: readonly string[]; csrf: string }): string {
  const items = databases.map((name) => `<li><a href="/web?db=${encodeURIComponent(name)}">${escapeHtml(name)}</a></li>`)
  const list = items.length ? `<ul>${items.join('')}</ul>` : '<p>There is no database yet.</p>'
  return page('Choose a database', csrfScript(csrf), `${list}<p><a href="/web/database/manager">Manage databases</a></p>`)
}

/** The page of somebody who has signed in, with the session information on one line. */
export function homePage(info: Readonly<Record<string, unknown>>): string {
  const who = `${escapeHtml(String(info.name))} (${escapeHtml(String(info.username))}), database ${escapeHtml(String(info.db))}`
  return page('Signed in', `odoo.__session_info__ = ${embedded(info)};`, `<p>${who}</p>`)
}

const csrfScript = (csrf: string): string => `var odoo = {\n    csrf_token: "${csrf}",\n};`
