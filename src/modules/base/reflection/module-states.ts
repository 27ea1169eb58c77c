// States of modules, as the rows of ir.module.module and of their dependencies have them.

export const moduleStates = {
  uninstallable: 'Uninstallable',
  uninstalled: 'Not Installed',
  installed: 'Installed',
  'to upgrade': 'To be upgraded',
  'to remove': 'To be removed',
  'to install': 'To be installed',
} as const
