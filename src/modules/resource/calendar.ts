// Working hours (resource.calendar): the spans of a week, and working time between moments.
import {
  boolean,
  char,
  computed,
  float,
  implement,
  many2one,
  model,
  type Of,
  one2many,
  optional,
  type Records,
  required,
  returns,
  selection,
} from '#models'
import { InvalidValue } from '../../errors.ts'
import { isDate, isMoment, nowUtc } from '../../kit/dates.ts'
import { isId } from '../../kit/present.ts'
import { assertWithin } from '../../limits.ts'
import { assertAllowedAndExisting, givenIds, timeZones } from '../base/index.ts'
import { type Attendance, afterDays, afterHours, type Span, type WorkingHours, workBetween } from './hours.ts'

const moment = required<string>('string', { annotation: 'str' })
const more = (leaves: boolean) =>
  ({
    compute_leaves: optional<boolean>('boolean', leaves, { doc: 'Without times off', annotation: 'bool' }),
    domain: optional<unknown>('any', null, {
      doc: 'Times off that count, in place of those of the type "leave"',
      annotation: 'DomainType | None',
    }),
  }) as const
const yes = returns<true>('boolean', 'bool')

const calendar = model('resource.calendar', {
  label: 'Resource Working Time',
  order: 'name, id',
  fields: {
    name: char({ label: 'Name', required: true }),
    active: boolean({ label: 'Active', default: true }),
    company_id: many2one('res.company', { label: 'Company' }),
    tz: selection(timeZones, { label: 'Timezone', required: true }),
    attendance_ids: one2many('resource.calendar.attendance', 'calendar_id', {
      label: 'Working Time',
      copy: true,
    }),
    leave_ids: one2many('resource.calendar.leaves', 'calendar_id', { label: 'Time Off' }),
    global_leave_ids: one2many('resource.calendar.leaves', 'calendar_id', {
      label: 'Global Time Off',
      domain: [['resource_id', '=', false]],
    }),
    two_weeks_calendar: boolean({ label: 'Calendar in 2 weeks mode' }),
    duration_based: boolean({ label: 'Duration based', help: 'Spans are known by their length alone.' }),
    schedule_type: selection(
      { flexible: 'Flexible', fully_fixed: 'Fully Fixed' },
      { label: 'Schedule Type', required: true, default: 'fully_fixed' },
    ),
    flexible_hours: boolean({ label: 'Flexible Hours', computed: true, stored: true }),
    hours_per_day: float({
      label: 'Average Hour per Day',
      digits: [2, 2],
      computed: true,
      stored: true,
      readonly: false,
    }),
    hours_per_week: float({ label: 'Hours per Week', computed: true, stored: true, readonly: false }),
    full_time_required_hours: float({ label: 'Full Time Equivalent', default: 40 }),
  },
  methods: {
    get_work_hours_count: {
      doc: 'Hours of work between two moments.',
      readonly: true,
      params: { start_dt: moment, end_dt: moment, ...more(true) },
      returns: returns<number>('number', 'float'),
    },
    get_work_duration_data: {
      doc: 'Days and hours of work between two moments.',
      readonly: true,
      params: { from_datetime: moment, to_datetime: moment, ...more(true) },
      returns: returns<object>('object', 'dict'),
    },
    plan_hours: {
      doc: 'The moment after so many hours of work, or before where they are negative; false where ten years are not enough.',
      readonly: true,
      params: {
        hours: required<number>('number', { annotation: 'float' }),
        day_dt: moment,
        ...more(false),
        resource: optional<unknown>('any', null, {
          doc: 'The resource whose times off count too',
          annotation: 'int | None',
        }),
      },
      returns: returns<string | false>('any', 'str | bool'),
    },
    plan_days: {
      doc: 'The end of the last of so many days with work, or the beginning of the first where they are negative; false where ten years are not enough.',
      readonly: true,
      params: { days: required<number>('integer', { annotation: 'int' }), day_dt: moment, ...more(false) },
      returns: returns<string | false>('any', 'str | bool'),
    },
    switch_calendar_type: {
      doc: 'Switches between a calendar of one week and one of two alternating weeks.',
      params: {},
      returns: yes,
    },
    switch_based_on_duration: {
      doc: 'Spans are known by their length alone, or by their beginning and end again.',
      params: {},
      returns: yes,
    },
  },
})

declare module '#models' {
  interface Models {
    'resource.calendar': ResourceCalendar
  }
  interface ResourceCalendar extends Of<typeof calendar> {}
}

type Calendars = Records<'resource.calendar'>

/** A moment of a caller in milliseconds: UTC, or with an offset. Throws InvalidValue for others. */
function millis(name: string, text: string): number {
  const iso = isMoment(text) ? `${text.replace(' ', 'T')}Z` : text
  const isWritten = /^.{10}[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.test(iso)
  const value = isWritten && isDate(iso.slice(0, 10)) ? Date.parse(iso) : Number.NaN
  if (Number.isNaN(value)) throw new InvalidValue(`${name} is a moment, such as 2026-03-02 09:00:00.`)
  return value
}

interface Options {
  readonly compute_leaves: boolean
  readonly domain: unknown
  readonly resource?: unknown
}

/** Working hours with times off of a calendar, as `hours.ts` takes them. */
async function hoursOf(
  calendars: Calendars,
  { compute_leaves, domain, resource = null }: Options,
): Promise<WorkingHours> {
  await assertAllowedAndExisting(calendars, 'read')
  const row = await calendars.one([
    'tz',
    'two_weeks_calendar',
    'schedule_type',
    'hours_per_day',
    'attendance_ids.dayofweek',
    'attendance_ids.day_period',
    'attendance_ids.display_type',
    'attendance_ids.week_type',
    'attendance_ids.hour_from',
    'attendance_ids.hour_to',
    'attendance_ids.duration_days',
  ])
  const fixed = row.attendance_ids
    .filter(({ day_period, display_type }) => day_period !== 'lunch' && display_type === null)
    .map(
      (span): Attendance => ({
        weekday: Number(span.dayofweek),
        from: span.hour_from,
        to: span.hour_to,
        days: span.duration_days,
        week: row.two_weeks_calendar && span.week_type !== null ? Number(span.week_type) : null,
      }),
    )
  assertWithin('working-spans', fixed.length)
  const to = Math.min(24, row.hours_per_day)
  const attendances =
    row.schedule_type === 'flexible'
      ? [0, 1, 2, 3, 4, 5, 6].map((weekday): Attendance => ({ weekday, from: 0, to, days: 1, week: null }))
      : fixed
  const off = compute_leaves ? await offOf(calendars, { domain, resource }) : []
  return { zone: row.tz, attendances, off }
}

async function offOf(
  { env, ids }: Calendars,
  { domain, resource }: Pick<Options, 'domain' | 'resource'>,
): Promise<readonly Span[]> {
  if (resource !== null && resource !== false && !isId(resource))
    throw new InvalidValue('resource must be the id of a resource.')
  if (domain !== null && domain !== false && !Array.isArray(domain))
    throw new InvalidValue('domain must be a list of conditions.')
  const leaves = env.model('resource.calendar.leaves')
  const counted = await leaves.invoke('search', {
    domain: [
      ['calendar_id', 'in', [...ids, false]],
      ['resource_id', 'in', resource ? [resource, false] : [false]],
      ...(Array.isArray(domain) ? domain : [['time_type', '=', 'leave']]),
    ],
  })
  const rows = await leaves.browse(givenIds(counted)).load(['date_from', 'date_to'])
  return rows.map((row) => ({
    start: millis('date_from', row.date_from),
    end: millis('date_to', row.date_to),
  }))
}

/** The end of a plan, or false: moments are of the years up to 9999. */
const dated = (text: string): string | false => isMoment(text) && text
const written = (end: number | null) => dated(end === null ? '' : nowUtc(new Date(end)))

/** From Monday to Friday, eight hours a day around a break. */
const usual = () =>
  ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'].flatMap((day, i) => [
    [0, 0, { name: `${day} Morning`, dayofweek: `${i}`, hour_from: 8, hour_to: 12, day_period: 'morning' }],
    [0, 0, { name: `${day} Lunch`, dayofweek: `${i}`, hour_from: 12, hour_to: 13, day_period: 'lunch' }],
    [
      0,
      0,
      { name: `${day} Afternoon`, dayofweek: `${i}`, hour_from: 13, hour_to: 17, day_period: 'afternoon' },
    ],
  ])

/** Makes one week two of the same, or two weeks the first of them. */
async function switchWeeks(calendars: Calendars): Promise<true> {
  await assertAllowedAndExisting(calendars, 'write')
  const attendances = calendars.env.model('resource.calendar.attendance')
  for (const { id, two_weeks_calendar, attendance_ids } of await calendars.load([
    'two_weeks_calendar',
    'attendance_ids.week_type',
  ])) {
    const spans = attendances.browse(attendance_ids.map((span) => span.id))
    if (two_weeks_calendar) {
      const second = attendance_ids.filter(({ week_type }) => week_type === '1').map((span) => span.id)
      await attendances.browse(second).unlink()
      const first = attendances.browse(spans.ids.filter((span) => !second.includes(span)))
      await first.write({ week_type: null })
    } else {
      await spans.invoke('write', { vals: { week_type: '0' } })
      await spans.invoke('copy', { default: { week_type: '1' } })
    }
    await calendars.browse([id]).write({ two_weeks_calendar: !two_weeks_calendar })
  }
  return true
}

const spanPaths = [
  'attendance_ids.duration_hours',
  'attendance_ids.dayofweek',
  'attendance_ids.week_type',
] as const
type Spans = readonly { duration_hours: number; dayofweek: string; week_type: string | null }[]
const total = (spans: Spans): number => spans.reduce((sum, { duration_hours }) => sum + duration_hours, 0)
const worked = (spans: Spans): number =>
  new Set(
    spans.filter((span) => span.duration_hours > 0).map((span) => `${span.week_type} ${span.dayofweek}`),
  ).size

export default implement(calendar, {
  defaults: {
    company_id: (env) => env.companyId,
    tz: (env) => env.user.tz || 'UTC',
    attendance_ids: () => usual() as never,
  },
  computed: {
    flexible_hours: computed(
      calendar,
      ['schedule_type'],
      ({ schedule_type }) => schedule_type === 'flexible',
    ),
    hours_per_day: computed(calendar, [...spanPaths], ({ attendance_ids: spans }) =>
      worked(spans) ? Math.round((total(spans) / worked(spans)) * 100) / 100 : 8,
    ),
    hours_per_week: computed(
      calendar,
      ['two_weeks_calendar', ...spanPaths],
      (row) => total(row.attendance_ids) / (row.two_weeks_calendar ? 2 : 1),
    ),
  },
  methods: {
    get_work_hours_count: async (calendars, { start_dt, end_dt, ...options }) => {
      const span = { start: millis('start_dt', start_dt), end: millis('end_dt', end_dt) }
      return workBetween(await hoursOf(calendars, options), span).hours
    },
    get_work_duration_data: async (calendars, { from_datetime, to_datetime, ...options }) => {
      const span = { start: millis('from_datetime', from_datetime), end: millis('to_datetime', to_datetime) }
      return workBetween(await hoursOf(calendars, options), span)
    },
    plan_hours: async (calendars, { hours, day_dt, ...options }) =>
      written(afterHours(await hoursOf(calendars, options), millis('day_dt', day_dt), hours)),
    plan_days: async (calendars, { days, day_dt, ...options }) =>
      written(afterDays(await hoursOf(calendars, options), millis('day_dt', day_dt), days)),
    switch_calendar_type: switchWeeks,
    switch_based_on_duration: async (calendars) => {
      await assertAllowedAndExisting(calendars, 'write')
      const rows = await calendars.load(['duration_based'])
      await calendars.writeEach(
        new Map(rows.map(({ id, duration_based }) => [id, { duration_based: !duration_based }])),
      )
      return true as const
    },
  },
})
