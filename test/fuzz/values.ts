// Operators, texts, times, dates and other values that generated calls send: plain ones, and wild ones.

export const equality = ['=', '!=', '=', '!=', 'in', 'not in', '=?', '==', '<>']
export const patterns = [
  '%',
  '_',
  'a%',
  '%a',
  'a_',
  '\\%',
  'a\\',
  'a\\\\b',
  '\\_',
  'É',
  'Σ',
  '',
  ' ',
  '1',
  '-',
  'a',
  'A',
  'o',
  "'",
  '"',
  '$1',
  '\u20631\u2063',
]
export const days = [
  '2024-02-29',
  '2025-01-01',
  '2026-11-21',
  '2999-12-31',
  '0001-01-01',
  '9999-12-31',
  '2024-02-30',
  '24-01-01',
]
export const times = ['00:00:00', '23:59:59', '10:30:00', '10:30', '12:00:00.5', '25:00:00']
export const relative = [
  'today',
  'today -1d',
  'now',
  '-1w',
  '=monday',
  'today =1d',
  '+sunday -1m',
  'now +3H',
  'today +1y =week_start',
]
export const wild = [
  false,
  null,
  true,
  0,
  1,
  -1,
  1.5,
  '',
  'x',
  '7',
  '0',
  ' 2 ',
  1e20,
  2147483648,
  2147483647,
  -2147483648,
  2000000000,
  2000000001,
  -2000000000,
]
export const wilder = [
  1999999999,
  1999999998,
  1e-9,
  -0.004,
  '2024-02-29',
  'today',
  '1e3',
  'yes',
  99999,
  'base',
  9007199254740991,
]
export const dateParts = [
  'year_number',
  'quarter_number',
  'month_number',
  'iso_week_number',
  'day_of_year',
  'day_of_month',
  'day_of_week',
]
export const timeParts = ['hour_number', 'minute_number', 'second_number']
export const periods = ['day', 'week', 'month', 'quarter', 'year']

export const aspects = [
  'window',
  'order',
  'fields',
  'form',
  'context',
  'caller',
  'operator',
  'sort',
  'length',
] as const
export type Aspect = (typeof aspects)[number]
