// Fonts and backgrounds that companies choose from for their documents.
export const documentFonts = {
  Lato: 'Lato',
  Roboto: 'Roboto',
  Open_Sans: 'Open Sans',
  Montserrat: 'Montserrat',
  Oswald: 'Oswald',
  Raleway: 'Raleway',
  Tajawal: 'Tajawal',
  Fira_Mono: 'Fira Mono',
} as const
export const pageBackgrounds = { Blank: 'Blank', 'Demo logo': 'Demo logo', Custom: 'Custom' } as const
