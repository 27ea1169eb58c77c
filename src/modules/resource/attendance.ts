// Spans of weekdays in which somebody works (resource.calendar.attendance).
import {
  char,
  computed,
  float,
  implement,
  integer,
  many2one,
  model,
  type Of,
  required,
  returns,
  selection,
} from '#models'
import { InvalidValue } from '../../errors.ts'
import { isDate } from '../../kit/dates.ts'
import { weekTypeOf } from './hours.ts'

const attendance = model('resource.calendar.attendance', {
  label: 'Work Detail',
  order: 'sequence, week_type, dayofweek, hour_from',
  fields: {
    name: char({ label: 'Name', required: true }),
    calendar_id: many2one('resource.calendar', {
      label: "Resource's Calendar",
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    dayofweek: selection(
      {
        0: 'Monday',
        1: 'Tuesday',
        2: 'Wednesday',
        3: 'Thursday',
        4: 'Friday',
        5: 'Saturday',
        6: 'Sunday',
      },
      { label: 'Day of Week', required: true, default: '0', index: true },
    ),
    day_period: selection(
      { morning: 'Morning', lunch: 'Break', afternoon: 'Afternoon', full_day: 'Full Day' },
      { label: 'Day Period', required: true, default: 'morning' },
    ),
    week_type: selection({ 1: 'Second', 0: 'First' }, { label: 'Week Number' }),
    display_type: selection({ line_section: 'Section' }, { label: 'Display Type' }),
    hour_from: float({ label: 'Work from', required: true, default: 0 }),
    hour_to: float({ label: 'Work to', required: true, default: 0 }),
    duration_hours: float({ label: 'Duration (hours)', computed: true, stored: true }),
    duration_days: float({ label: 'Duration (days)', computed: true, stored: true }),
  },
  methods: {
    get_week_type: {
      doc: 'The type of the week of a date, in calendars over two weeks: 0 or 1.',
      level: 'model',
      readonly: true,
      params: { date: required<string>('string', { annotation: 'str' }) },
      returns: returns<number>('integer', 'int'),
    },
  },
})

declare module '#models' {
  interface Models {
    'resource.calendar.attendance': ResourceAttendance
  }
  interface ResourceAttendance extends Of<typeof attendance> {}
}

/** Days that a span counts for. */
const days: Readonly<Record<string, number>> = { morning: 0.5, afternoon: 0.5, full_day: 1, lunch: 0 }

export default implement(attendance, {
  computed: {
    duration_hours: computed(
      attendance,
      ['hour_from', 'hour_to', 'day_period'],
      ({ hour_from, hour_to, day_period }) => (day_period === 'lunch' ? 0 : Math.max(0, hour_to - hour_from)),
    ),
    duration_days: computed(attendance, ['day_period'], ({ day_period }) => days[day_period] ?? 0),
  },
  checks: {
    'The working hours must begin at 0 or later, and end after they begin, at 24 or earlier.': computed(
      attendance,
      ['hour_from', 'hour_to', 'display_type'],
      ({ hour_from, hour_to, display_type }) =>
        display_type !== null || (hour_from >= 0 && hour_from < hour_to && hour_to <= 24),
    ),
  },
  methods: {
    get_week_type: (_attendances, { date }) => {
      if (!isDate(date)) throw new InvalidValue('date is a day, such as 2026-03-02.')
      return weekTypeOf(date)
    },
  },
})
