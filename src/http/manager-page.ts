// The database manager: plain forms, one for each controller, folded away until they are wanted. It works
// without a script; the one of src/pages/databases adds progress to it.

import { escapeHtml } from '../kit/html.ts'
import { present } from '../kit/present.ts'
import type { Catalogue } from '../wire/rpc/catalogue.ts'

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

interface Part {
  readonly action: string
  readonly title: string
  /** What the button says. */
  readonly verb: string
  readonly hint?: string
  readonly inputs: readonly string[]
  readonly isDangerous?: boolean
  readonly hasFile?: boolean
}

const NAME_RULE =
  'minlength="2" maxlength="63" pattern="[a-zA-Z0-9][a-zA-Z0-9_.\\-]+" autocomplete="off" autocapitalize="off" spellcheck="false"'
const NAME_HINT = 'Letters, digits, dots, dashes and underscores; a letter or digit first.'

const WITHOUT_PASSWORD =
  '<p class="notice warn">This server has no master password, so the forms below are refused. Start it with <code>--master-password</code>, or use the command line beside it: <code>npx comptoir db --help</code>.</p>'

/** The main part of the page as HTML: the databases, a message where something failed, and the forms. */
export function managerPage({ databases, isManageable, catalogue, message, vain }: PageOptions): string {
  const list = databases.length
    ? `<ul class="databases">${databases.map((name) => `<li><a href="/web?db=${encodeURIComponent(name)}">${escapeHtml(name)}</a></li>`).join('')}</ul>`
    : '<p>There is no database yet. Create the first one.</p>'
  const open = vain?.action ?? (databases.length ? '' : 'create')
  return [
    '<h1>Databases</h1>',
    message === undefined ? '' : `<p class="notice bad" role="alert">${escapeHtml(message)}</p>`,
    isManageable ? '' : WITHOUT_PASSWORD,
    `<section class="card" aria-label="Databases of this server">${isManageable && databases.length ? unlock : ''}${list}</section>`,
    ...parts(databases, catalogue, (action) => (vain?.action === action ? vain.fields : new Map())).map(
      (part) => folded(part, part.action === open),
    ),
  ].join('\n')
}

/**
 * For the script: the master password once, for all forms of the page. Without a script each form asks for
 * it.
 */
const unlock =
  '<form id="unlock" hidden><label>Master password<input name="master_pwd" required type="password" autocomplete="off"></label>' +
  '<p class="row"><button class="primary">Unlock</button><span class="faint">Sizes, backups and what can be done, until you leave the page.</span></p></form>'

type Filled = ReadonlyMap<string, string>

function parts(
  databases: readonly string[],
  { languages, countries }: Catalogue,
  filledOf: (action: string) => Filled,
): Part[] {
  const of = (action: string) => {
    const filled = filledOf(action)
    return {
      text: (name: string, label: string, attributes = '', fallback = '', hint = '') =>
        field(
          label,
          `<input name="${name}" value="${escapeHtml(filled.get(name) ?? fallback)}" ${attributes}>`,
          hint,
        ),
      choice: (name: string, label: string, choices: Catalogue['languages'], fallback: string) =>
        field(label, `<select name="${name}">${options(choices, filled.get(name) ?? fallback)}</select>`),
      check: (name: string, value: string, label: string) =>
        `<label class="check"><input type="checkbox" name="${name}" value="${value}"${filled.get(name) ? ' checked' : ''}> ${label}</label>`,
    }
  }
  const own = databases.map((name) => [name, name] as const)
  const neutral =
    'Neutralize: nothing in it is sent, nothing runs by itself, and keys of all but administrators are revoked'
  const [create, duplicate, backup, restore, drop] = [
    of('create'),
    of('duplicate'),
    of('backup'),
    of('restore'),
    of('drop'),
  ]
  const made: Part[] = [
    {
      action: 'create',
      title: 'Create a database',
      verb: 'Create',
      inputs: [
        create.text('name', 'Name', `required ${NAME_RULE}`, '', NAME_HINT),
        create.text(
          'login',
          'Login of the administrator',
          'required autocomplete="off" autocapitalize="off" spellcheck="false"',
          'admin',
          'An address is also their e-mail.',
        ),
        field(
          'Password of the administrator',
          '<input name="password" required type="password" autocomplete="new-password">',
        ),
        create.text('phone', 'Phone number', 'type="tel" autocomplete="off"'),
        create.choice('lang', 'Language', languages, 'en_US'),
        create.choice('country_code', 'Country', [['', 'none'], ...countries], ''),
        create.check('demo', '1', 'With demonstration data'),
      ],
    },
    {
      action: 'restore',
      title: 'Restore a database',
      verb: 'Restore',
      hint: 'Makes a new database of a backup file.',
      hasFile: true,
      inputs: [
        restore.text('name', 'Name of the new database', `required ${NAME_RULE}`, '', NAME_HINT),
        restore.check('copy', 'true', 'It is a copy: the other database goes on existing'),
        restore.check('neutralize', 'true', neutral),
        field('Backup file', '<input name="backup_file" required type="file">'),
      ],
    },
    {
      action: 'change_password',
      title: 'Change the master password',
      verb: 'Change',
      inputs: [
        field(
          'New master password',
          '<input name="master_pwd_new" required type="password" autocomplete="new-password">',
        ),
      ],
    },
  ]
  if (databases.length === 0) return made
  const existing: Part[] = [
    {
      action: 'duplicate',
      title: 'Duplicate a database',
      verb: 'Duplicate',
      hint: 'With its files, users and keys; calls in flight finish first.',
      inputs: [
        duplicate.choice('name', 'Database', own, ''),
        duplicate.text('new_name', 'Name of the copy', `required ${NAME_RULE}`, '', NAME_HINT),
        duplicate.check('neutralize_database', '1', neutral),
      ],
    },
    {
      action: 'backup',
      title: 'Back up a database',
      verb: 'Back up',
      inputs: [
        backup.choice('name', 'Database', own, ''),
        backup.choice(
          'backup_format',
          'Format',
          [
            ['zip', 'zip, with files'],
            ['dump', "PostgreSQL's own, without files"],
          ],
          'zip',
        ),
      ],
    },
    {
      action: 'drop',
      title: 'Drop a database',
      verb: 'Drop',
      hint: 'The database and its files are gone for good.',
      isDangerous: true,
      inputs: [
        drop.choice('name', 'Database', own, ''),
        field(
          'Its name again',
          '<input name="confirm" required autocomplete="off" autocapitalize="off" spellcheck="false">',
        ),
      ],
    },
  ]
  return [present(made[0]), ...existing.slice(0, 2), present(made[1]), present(made[2]), present(existing[2])]
}

/**
 * One form, folded; the master password is part of every one, and comes before a file, so that nothing is
 * uploaded in vain.
 */
function folded({ action, title, verb, hint, inputs, isDangerous, hasFile }: Part, isOpen: boolean): string {
  const type = hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  const master = field(
    'Master password',
    '<input name="master_pwd" required type="password" autocomplete="off">',
  )
  return [
    `<details class="card" id="${action}"${isOpen ? ' open' : ''}><summary>${title}</summary>`,
    hint ? `<p class="faint">${hint}</p>` : '',
    `<form method="post" action="/web/database/${action}" enctype="${type}">${master}${inputs.join('')}`,
    `<div class="row end"><button class="primary${isDangerous ? ' danger' : ''}">${verb}</button></div></form></details>`,
  ].join('')
}

/** A control inside of its label, which needs no id. */
const field = (label: string, control: string, hint = ''): string =>
  `<label>${label}${control}${hint ? `<small class="faint">${hint}</small>` : ''}</label>`

function options(choices: Catalogue['languages'], chosen: string): string {
  return choices
    .map(
      ([value, text]) =>
        `<option value="${escapeHtml(value)}"${value === chosen ? ' selected' : ''}>${escapeHtml(text)}</option>`,
    )
    .join('')
}
