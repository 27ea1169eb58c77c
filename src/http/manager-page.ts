// The database manager: a page of plain forms, one for each controller. It runs no script.

import type { Catalogue } from '../wire/rpc/catalogue.ts'

/** Text safe inside of HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#222}' +
  'form{border:1px solid #ccc;border-radius:6px;padding:1rem;margin:1rem 0}label{display:block;margin:.4rem 0}' +
  'input,select{font:inherit;width:100%;box-sizing:border-box}input[type=checkbox]{width:auto}' +
  'li,[role=alert]{overflow-wrap:anywhere}:focus-visible{outline:3px solid #0a58ca;outline-offset:1px}' +
  '[role=alert]{border-left:4px solid #b00020;padding:.5rem 1rem;background:#fdecea}'

interface PageOptions {
  readonly databases: readonly string[]
  /** Languages and countries to choose from. */
  readonly catalogue: Catalogue
  readonly message?: string | undefined
}

/** The page as HTML: the databases, a message where something failed, and the forms. */
export function managerPage({ databases, catalogue, message }: PageOptions): string {
  const options = databases.map((name) => `<option>${escapeHtml(name)}</option>`).join('')
  const choice = `<label>Database <select name="name" required>${options}</select></label>`
  const list = databases.length
    ? `<ul>${databases.map((name) => `<li>${escapeHtml(name)}</li>`).join('')}</ul>`
    : '<p>There is no database yet.</p>'
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>Databases</title><style>${STYLE}</style></head><body><main><h1>Databases</h1>`,
    message === undefined ? '' : `<p role="alert">${escapeHtml(message)}</p>`,
    list,
    form('create', 'Create a database', [
      input('name', 'Name', 'required pattern="[a-zA-Z0-9][a-zA-Z0-9_.\\-]+"'),
      input('login', 'Login of the administrator', 'required value="admin"'),
      input('password', 'Password of the administrator', 'required type="password" autocomplete="new-password"'),
      input('phone', 'Phone number', 'type="tel"'),
      select('lang', 'Language', catalogue.languages, 'en_US'),
      select('country_code', 'Country', [['', 'none'], ...catalogue.countries], ''),
      checkbox('demo', 'With demonstration data'),
    ]),
    databases.length
      ? form('duplicate', 'Duplicate a database', [
          choice,
          input('new_name', 'Name of the copy', 'required'),
          checkbox('neutralize_database', 'Neutralize: the copy sends nothing to the outside'),
        ]) +
        form('backup', 'Back up a database', [
          choice,
          '<label>Format <select name="backup_format"><option value="zip">zip, with files</option><option value="dump">dump, without files</option></select></label>',
        ]) +
        form('drop', 'Drop a database', [
          choice,
          input('confirm', 'Its name again: what is dropped is gone', 'required autocomplete="off"'),
        ])
      : '',
    form(
      'restore',
      'Restore a database',
      [
        input('name', 'Name of the new database', 'required'),
        '<label><input type="checkbox" name="copy" value="true"> It is a copy: the other database goes on existing</label>',
        '<label><input type="checkbox" name="neutralize" value="true"> Neutralize: it sends nothing to the outside</label>',
        input('backup_file', 'Backup file', 'required type="file"'),
      ],
      'multipart/form-data',
    ),
    form('change_password', 'Change the master password', [
      input('master_pwd_new', 'New master password', 'required type="password" autocomplete="new-password"'),
    ]),
    '</main></body></html>',
  ].join('')
}

/** One form; the master password is part of every one. */
function form(action: string, title: string, inputs: readonly string[], type = 'application/x-www-form-urlencoded'): string {
  const master = input('master_pwd', 'Master password', 'required type="password" autocomplete="off"')
  return `<form method="post" action="/web/database/${action}" enctype="${type}"><h2>${title}</h2>${master}${inputs.join('')}<button>${title}</button></form>`
}

const input = (name: string, label: string, attributes = ''): string => `<label>${label} <input name="${name}" ${attributes}></label>`

function select(name: string, label: string, choices: Catalogue['languages'], chosen: string): string {
  const options = choices.map(
    ([value, text]) => `<option value="${escapeHtml(value)}"${value === chosen ? ' selected' : ''}>${escapeHtml(text)}</option>`,
  )
  return `<label>${label} <select name="${name}">${options.join('')}</select></label>`
}

const checkbox = (name: string, label: string): string => `<label><input type="checkbox" name="${name}" value="1"> ${label}</label>`
