// Formats of paper (report.paperformat): sizes and margins, in millimetres, that companies and reports name.
import {
  boolean,
  char,
  computedFields,
  extend,
  float,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  selection,
} from '#models'

/** Width and height of formats, in millimetres. */
const sizes: Readonly<Record<string, readonly [number, number]>> = {
  A3: [297, 420],
  A4: [210, 297],
  A5: [148, 210],
  A6: [105, 148],
  Letter: [216, 279],
  Legal: [216, 356],
}

const paper = model('report.paperformat', {
  label: 'Paper Format Config',
  order: 'name, id',
  fields: {
    name: char({ label: 'Name', required: true }),
    default: boolean({ label: 'Default paper format?' }),
    format: selection(
      { A3: 'A3', A4: 'A4', A5: 'A5', A6: 'A6', Letter: 'Letter', Legal: 'Legal', custom: 'Custom' },
      { label: 'Paper size', default: 'A4' },
    ),
    page_width: integer({ label: 'Page width (mm)', help: 'Of custom formats.' }),
    page_height: integer({ label: 'Page height (mm)', help: 'Of custom formats.' }),
    orientation: selection(
      { Portrait: 'Portrait', Landscape: 'Landscape' },
      { label: 'Orientation', default: 'Landscape' },
    ),
    margin_top: float({ label: 'Top Margin (mm)', default: 40 }),
    margin_bottom: float({ label: 'Bottom Margin (mm)', default: 20 }),
    margin_left: float({ label: 'Left Margin (mm)', default: 7 }),
    margin_right: float({ label: 'Right Margin (mm)', default: 7 }),
    header_line: boolean({ label: 'Display a header line' }),
    header_spacing: integer({ label: 'Header spacing', default: 35 }),
    disable_shrinking: boolean({ label: 'Disable smart shrinking' }),
    css_margins: boolean({ label: 'Use css margins' }),
    dpi: integer({ label: 'Output DPI', default: 90 }),
    report_ids: one2many('ir.actions.report', 'paperformat_id', { label: 'Associated reports' }),
    print_page_width: float({ label: 'Print page width (mm)', computed: true }),
    print_page_height: float({ label: 'Print page height (mm)', computed: true }),
  },
})

const named = { label: 'Paper Format', ondelete: 'set null' } as const
const report = extend('ir.actions.report', {
  fields: { paperformat_id: many2one('report.paperformat', named) },
})
const company = extend('res.company', {
  fields: { paperformat_id: many2one('report.paperformat', named) },
})

declare module '#models' {
  interface Models {
    'report.paperformat': PaperFormat
  }
  interface PaperFormat extends Of<typeof paper> {}
  interface Report extends Of<typeof report> {}
  interface Company extends Of<typeof company> {}
}

const printed = computedFields(
  paper,
  ['print_page_width', 'print_page_height'],
  ['format', 'page_width', 'page_height', 'orientation'],
  (papers) =>
    new Map(
      papers.map(({ id, format, page_width, page_height, orientation }) => {
        const [width, height] = sizes[format ?? ''] ?? [page_width, page_height]
        const [across, down] = orientation === 'Landscape' ? [height, width] : [width, height]
        return [id, { print_page_width: across, print_page_height: down }]
      }),
    ),
)

export const paperModels = [implement(paper, { computed: printed }), implement(report), implement(company)]
