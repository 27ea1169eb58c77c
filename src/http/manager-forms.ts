// The forms of the database manager: their fields, and their order on the page.
import { type Html, html } from '../kit/html.ts'
import type { Catalogue } from '../wire/rpc/catalogue.ts'
import { type Choices, type Controls, controlsOf, type Filled, field } from './manager-controls.ts'

export interface ManagerForm {
  readonly action: string
  readonly title: string
  /** Label of the button. */
  readonly verb: string
  readonly hint?: string
  readonly inputs: readonly Html[]
  readonly isDangerous?: boolean
  readonly hasFile?: boolean
}

const NAME_RULE = html`minlength="2" maxlength="63" pattern="[a-zA-Z0-9][a-zA-Z0-9_.\\-]+" autocomplete="off" autocapitalize="off" spellcheck="false"`
const NAME_HINT = 'Letters, digits, dots, dashes and underscores; a letter or digit first.'

const NEUTRAL =
  'Neutralize: no mails or webhooks are sent, no scheduled actions run, and API keys of users who are not administrators are revoked'

/**
 * The forms in the order of the page; forms for a database appear once there is one. `filledOf`: values
 * entered into the form of an action.
 */
export function managerForms(
  databases: readonly string[],
  catalogue: Catalogue,
  filledOf: (action: string) => Filled,
): readonly ManagerForm[] {
  const of = (action: string) => controlsOf(filledOf(action))
  const [create, restore] = [createForm(of('create'), catalogue), restoreForm(of('restore'))]
  if (databases.length === 0) return [create, restore, changePasswordForm]
  const names = databases.map((name) => [name, name] as const)
  return [
    create,
    duplicateForm(of('duplicate'), names),
    backupForm(of('backup'), names),
    restore,
    changePasswordForm,
    dropForm(of('drop'), names),
  ]
}

const createForm = (
  { text, choice, check }: Controls,
  { languages, countries, applications }: Catalogue,
): ManagerForm => ({
  action: 'create',
  title: 'Create a database',
  verb: 'Create',
  inputs: [
    text('name', 'Name', html`required ${NAME_RULE}`, '', NAME_HINT),
    text(
      'login',
      'Login of the administrator',
      html`required autocomplete="off" autocapitalize="off" spellcheck="false"`,
      'admin',
      'An email address as login is also used as the email of the administrator.',
    ),
    field(
      'Password of the administrator',
      html`<input name="password" required type="password" autocomplete="new-password">`,
    ),
    text('phone', 'Phone number', html`type="tel" autocomplete="off"`),
    choice('lang', 'Language', languages, 'en_US'),
    choice('country_code', 'Country', [['', 'none'], ...countries], ''),
    html`<fieldset><legend>Modules</legend><input type="hidden" name="modules" value="">${applications.map(([name, title]) => check(`modules.${name}`, '1', title))}<small class="faint">Modules that connect the selected ones are installed too.</small></fieldset>`,
    check('demo', '1', 'With demonstration data: a shop with all modules, or with the chosen ones'),
  ],
})

const duplicateForm = ({ text, choice, check }: Controls, databases: Choices): ManagerForm => ({
  action: 'duplicate',
  title: 'Duplicate a database',
  verb: 'Duplicate',
  hint: 'With its files, users and keys; calls in flight finish first.',
  inputs: [
    choice('name', 'Database', databases, ''),
    text('new_name', 'Name of the copy', html`required ${NAME_RULE}`, '', NAME_HINT),
    check('neutralize_database', '1', NEUTRAL),
  ],
})

const backupForm = ({ choice }: Controls, databases: Choices): ManagerForm => ({
  action: 'backup',
  title: 'Back up a database',
  verb: 'Back up',
  inputs: [
    choice('name', 'Database', databases, ''),
    choice(
      'backup_format',
      'Format',
      [
        ['zip', 'zip, with files'],
        ['dump', "PostgreSQL's own, without files"],
      ],
      'zip',
    ),
  ],
})

const restoreForm = ({ text, check }: Controls): ManagerForm => ({
  action: 'restore',
  title: 'Restore a database',
  verb: 'Restore',
  hint: 'Creates a new database from a backup file.',
  hasFile: true,
  inputs: [
    text('name', 'Name of the new database', html`required ${NAME_RULE}`, '', NAME_HINT),
    check('copy', 'true', 'It is a copy: the original database stays in use'),
    check('neutralize', 'true', NEUTRAL),
    field('Backup file', html`<input name="backup_file" required type="file">`),
  ],
})

const changePasswordForm: ManagerForm = {
  action: 'change_password',
  title: 'Change the master password',
  verb: 'Change',
  inputs: [
    field(
      'New master password',
      html`<input name="master_pwd_new" required type="password" autocomplete="new-password">`,
    ),
  ],
}

const dropForm = ({ choice }: Controls, databases: Choices): ManagerForm => ({
  action: 'drop',
  title: 'Drop a database',
  verb: 'Drop',
  hint: 'Permanently deletes the database and its files.',
  isDangerous: true,
  inputs: [
    choice('name', 'Database', databases, ''),
    field(
      'Its name again',
      html`<input name="confirm" required autocomplete="off" autocapitalize="off" spellcheck="false">`,
    ),
  ],
})
