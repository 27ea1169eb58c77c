// The database manager: plain forms, one for each controller, folded until opened. It works without a script;
// the one of src/pages/databases adds progress to it.

import { type Html, html, joined } from '../kit/html.ts'
import type { Catalogue } from '../wire/rpc/catalogue.ts'
import { field } from './manager-controls.ts'
import { type ManagerForm, managerForms } from './manager-forms.ts'

/** A form that was sent in vain: it stays open, with what was typed but for passwords. */
export interface Vain {
  readonly action: string
  readonly fields: ReadonlyMap<string, string>
}

interface PageOptions {
  readonly databases: readonly string[]
  /** Whether a master password exists: without one every form is refused. */
  readonly isManageable: boolean
  /** Languages and countries to choose from. */
  readonly catalogue: Catalogue
  readonly message?: string | undefined
  readonly vain?: Vain | undefined
}

const WITHOUT_PASSWORD = html`<p class="notice warn">This server has no master password, so the forms below are refused. Start it with <code>--master-password</code>, or use its command line: <code>npx comptoir db --help</code>.</p>`

/** The main part of the page as HTML: the databases, a message where something failed, and the forms. */
export function managerPage({ databases, isManageable, catalogue, message, vain }: PageOptions): Html {
  const list = databases.length
    ? html`<ul class="databases">${databases.map((name) => html`<li><a href="/web?db=${encodeURIComponent(name)}">${name}</a></li>`)}</ul>`
    : html`<p>There is no database yet. Create the first one.</p>`
  const open = vain?.action ?? (databases.length ? '' : 'create')
  return joined(
    [
      html`<h1>Databases</h1>`,
      message === undefined ? '' : html`<p class="notice bad" role="alert">${message}</p>`,
      isManageable ? '' : WITHOUT_PASSWORD,
      html`<section class="card" aria-label="Databases of this server">${isManageable && databases.length ? unlock : ''}${list}</section>`,
      ...managerForms(databases, catalogue, (action) =>
        vain?.action === action ? vain.fields : new Map(),
      ).map((form) => folded(form, form.action === open)),
    ],
    '\n',
  )
}

/** For the script: one field for the master password of all forms. Without a script each form has its own. */
const unlock = html`<form id="unlock" hidden><label>Master password<input name="master_pwd" required type="password" autocomplete="off"></label><p class="row"><button class="primary">Unlock</button><span class="faint">Shows sizes, backups and actions until you leave the page.</span></p></form>`

/**
 * One form, folded; the master password is part of every one, and comes before a file, so that nothing is
 * uploaded in vain.
 */
function folded(
  { action, title, verb, hint, inputs, isDangerous, hasFile }: ManagerForm,
  isOpen: boolean,
): Html {
  const type = hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  const master = field(
    'Master password',
    html`<input name="master_pwd" required type="password" autocomplete="off">`,
  )
  return html`${[
    html`<details class="card" id="${action}"${isOpen ? html` open` : ''}><summary>${title}</summary>`,
    hint ? html`<p class="faint">${hint}</p>` : '',
    html`<form method="post" action="/web/database/${action}" enctype="${type}">${master}${inputs}`,
    html`<div class="row end"><button class="primary${isDangerous ? ' danger' : ''}">${verb}</button></div></form></details>`,
  ]}`
}
