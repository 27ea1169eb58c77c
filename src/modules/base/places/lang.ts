// Languages (res.lang): which are installed, and how each writes dates and numbers.

import { raiseRightsVersion } from '#engine'
import {
  alike,
  binary,
  boolean,
  char,
  computedTogether,
  implement,
  model,
  type Of,
  optional,
  type Records,
  required,
  returns,
  selection,
} from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { markCopies } from '../copied-names.ts'
import { assertAllowed } from '../rights/refusal.ts'
import { actionMethod } from '../shown.ts'

/** A format of days, as the last day of January is written with it. */
const dated = (format: string) => format.replace('%d', '31').replace('%m', '01').replace('%Y', '2025')
const named = (keys: readonly string[], label: (key: string) => string) =>
  Object.fromEntries(keys.map((key) => [key, label(key)]))

const separators = ['/', '.', '-', '. ', ' ']
const orders = ['%d %m %Y', '%m %d %Y', '%Y %m %d']
const dateFormats = named(
  orders.flatMap((order) => separators.map((separator) => order.replaceAll(' ', separator))),
  dated,
)
const timeFormats = {
  '%H:%M:%S': '13:00:00',
  '%H.%M.%S': '13.00.00',
  '%I:%M:%S %p': '01:00:00 PM',
}
const groupings = { '[3,0]': '123,456,789', '[3,2,0]': '12,34,56,789', '[]': '123456789' }

const lang = model('res.lang', {
  label: 'Languages',
  dictionary: true,
  order: 'active desc, name',
  rules: {
    name_uniq: { unique: ['name'], message: 'The name of the language must be unique!' },
    code_uniq: { unique: ['code'], message: 'The code of the language must be unique!' },
    url_code_uniq: { unique: ['url_code'], message: 'The URL code of the language must be unique!' },
  },
  fields: {
    name: char({ label: 'Name', required: true }),
    code: char({ label: 'Locale Code', required: true, help: 'Used to set and get locales for users.' }),
    iso_code: char({ label: 'ISO code', help: 'The name of translation files.' }),
    url_code: char({
      label: 'URL Code',
      required: true,
      help: 'The code of the language in addresses of pages.',
    }),
    active: boolean({ label: 'Active' }),
    direction: selection(
      { ltr: 'Left-to-Right', rtl: 'Right-to-Left' },
      { label: 'Direction', required: true, default: 'ltr' },
    ),
    date_format: selection(dateFormats, { label: 'Date Format', required: true, default: '%m/%d/%Y' }),
    time_format: selection(timeFormats, { label: 'Time Format', required: true, default: '%H:%M:%S' }),
    short_time_format: char({ label: 'Short Time Format', required: true, default: '%H:%M' }),
    week_start: selection(
      {
        '1': 'Monday',
        '2': 'Tuesday',
        '3': 'Wednesday',
        '4': 'Thursday',
        '5': 'Friday',
        '6': 'Saturday',
        '7': 'Sunday',
      },
      { label: 'First Day of Week', required: true, default: '7' },
    ),
    grouping: selection(groupings, {
      label: 'Separator Format',
      required: true,
      default: '[]',
      help: 'Sizes of groups of digits, such as [3,0].',
    }),
    decimal_point: char({ label: 'Decimal Separator', required: true, default: '.', trim: false }),
    thousands_sep: char({ label: 'Thousands Separator', default: ',', trim: false }),
    flag_image: binary({ label: 'Flag', image: true, maxWidth: 256 }),
    flag_image_url: char({ label: 'Address of the Flag', computed: true }),
  },
  methods: {
    get_installed: {
      doc: 'Codes and names of the active languages, by name.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<readonly (readonly [string, string])[]>('array', 'list[tuple[str, str]]'),
    },
    format: {
      doc: 'Formats a number in the language by a format such as %.2f or %d, with or without digit grouping.',
      readonly: true,
      params: {
        percent: required<string>('string'),
        value: required<number>('number'),
        grouping: optional<boolean>('boolean', false, { annotation: 'bool' }),
      },
      returns: returns<string>('string', 'str'),
    },
    install_lang: {
      doc: 'Activates the default language of new users.',
      level: 'model',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    action_activate_langs: actionMethod('Activates languages.'),
  },
})

declare module '#models' {
  interface Models {
    'res.lang': Lang
  }
  interface Lang extends Of<typeof lang> {}
}

const BASE = 'en_US'

interface Numerals {
  readonly grouping: string
  readonly decimal_point: string
  readonly thousands_sep: string | null
}

/** Throws UserError for formats other than whole numbers and those with decimals. */
function formatted(
  percent: string,
  value: number,
  { grouping, decimal_point, thousands_sep }: Numerals,
): string {
  const form = /^%(?:\.(\d{1,2}))?([dfi])$/.exec(percent)
  if (!form) throw new UserError('Invalid number format: use a format such as %.2f or %d.')
  const digits = form[2] === 'f' ? Number(form[1] ?? 6) : 0
  const [whole = '0', rest] = Math.abs(form[2] === 'f' ? value : Math.trunc(value))
    .toFixed(digits)
    .split('.')
  const sizes = grouping.match(/[1-9]\d*/g)?.map(Number) ?? []
  const parts: string[] = []
  let left = whole
  for (
    let i = 0;
    thousands_sep && sizes.length && left.length > (sizes[Math.min(i, sizes.length - 1)] ?? 3);
    i++
  ) {
    const size = sizes[Math.min(i, sizes.length - 1)] ?? 3
    parts.unshift(left.slice(-size))
    left = left.slice(0, -size)
  }
  const text = [left, ...parts].join(thousands_sep ?? '')
  return `${value < 0 ? '-' : ''}${text}${rest ? decimal_point + rest : ''}`
}

export default implement(lang, {
  computed: {
    flag_image_url: computedTogether(
      lang,
      [],
      async (langs, env) => {
        const rows = await env.rows(
          sql`SELECT res_id FROM ir_attachment WHERE res_model = 'res.lang' AND res_field = 'flag_image'
          AND res_id = ANY(${idList(langs.map(({ id }) => id))})`,
          { reads: ['ir.attachment'], row: ['int'] },
        )
        const flagged = new Set(rows.map((row) => row[0]))
        return new Map(
          langs.map(({ id }) => [id, flagged.has(id) ? `/web/image/res.lang/${id}/flag_image` : null]),
        )
      },
      {
        searchable: false,
        sql: (
          scope,
        ) => sql`(SELECT '/web/image/res.lang/' || ${scope.id} || '/flag_image' FROM ir_attachment a
          WHERE a.res_model = 'res.lang' AND a.res_field = 'flag_image' AND a.res_id = ${scope.id} LIMIT 1)`,
      },
    ),
  },
  methods: {
    format: async (langs, { percent, value, grouping }) => {
      const row = await langs.one(['grouping', 'decimal_point', 'thousands_sep'])
      return formatted(percent, value, grouping ? row : { ...row, thousands_sep: null })
    },
    install_lang: async (langs) => {
      const all = langs.withContext({ active_test: false })
      const userLangs = await all.search([['code', '=', langs.env.user.lang ?? BASE]])
      if (userLangs.length) await userLangs.write({ active: true })
      return true as const
    },
    action_activate_langs: async (langs) => {
      await assertAllowed(langs, 'write')
      await langs.write({ active: true })
      return {
        type: 'ir.actions.client',
        tag: 'display_notification',
        params: { type: 'success', message: 'The languages are active now.' },
      }
    },
    get_installed: async ({ env }) => {
      const rows = await env.rows(sql`SELECT code, name FROM res_lang WHERE active ORDER BY name`, {
        reads: ['res.lang'],
        row: ['text', 'text'],
      })
      return rows.map((row) => [row[0], row[1]] as const)
    },
  },
  wrapWrite: alike((next) => async (langs, params) => {
    const vals = params.vals as Record<string, unknown>
    if (langs.length && ('code' in vals || ('active' in vals && !vals.active))) await assertFree(langs, vals)
    raiseRightsVersion(langs.env)
    return next(langs, params)
  }),
  wrapGeneric: {
    create: (next) => async (langs, params) => {
      raiseRightsVersion(langs.env)
      return next(langs, params)
    },
    unlink: (next) => async (langs, params) => {
      for (const { code, active } of await langs.load(['code', 'active'])) {
        if (code === BASE) throw new UserError("Base Language 'en_US' can not be deleted.")
        if (active)
          throw new UserError(
            'You cannot delete the language which is Active! Please de-activate the language first.',
          )
      }
      raiseRightsVersion(langs.env)
      return next(langs, params)
    },
    copy_data: markCopies,
  },
})

/**
 * Throws UserError when a code would change, or when a language that is switched off is the base one or in
 * use (spec/models-api.md section 8).
 */
async function assertFree(
  langs: Records<'res.lang'>,
  vals: Readonly<Record<string, unknown>>,
): Promise<void> {
  const rows = await langs.load(['code', 'active'])
  if ('code' in vals && rows.some(({ code }) => code !== vals.code))
    throw new UserError('Language code cannot be modified.')
  if (!('active' in vals) || vals.active) return
  const codes = rows.filter(({ active }) => active).map(({ code }) => code)
  if (codes.includes(BASE)) throw new UserError('The base language cannot be deactivated.')
  const used = await langs.env.rows(
    sql`SELECT lang FROM res_partner WHERE lang = ANY(${codes}::text[]) LIMIT 1`,
    { reads: ['res.partner'], row: ['text'] },
  )
  if (used.length)
    throw new UserError('Cannot deactivate a language that is currently used by users or contacts.')
}
