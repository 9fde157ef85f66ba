"""Python that was once allowed and did what nobody was asked about: the second attack.

`{outside}` is a folder beside the project, with a file `secret` in it.
"""

from typing import Final

DETOURS: Final[tuple[tuple[str, str], ...]] = (
    # what is above a path is not what is above its text
    (
        "above",
        "from pathlib import Path\n(Path('.').resolve().parent / 'outside/secret').read_text()",
    ),
    (
        "above",
        "from pathlib import Path\n(Path().absolute().parent / 'outside/secret').read_text()",
    ),
    ("above", "from pathlib import Path\n(Path('link').resolve().parent / 'x').read_text()"),
    ("above", "import os\nopen(os.path.join(os.path.dirname(os.path.realpath('.')), 'x'))"),
    ("above", "import os\nopen(os.path.dirname(os.path.abspath('.')) + '/x')"),
    # names of other scopes than it seems
    ("scope", "p = 'a'\nclass A:\n    p = '{outside}/secret'\n    x = [l for l in open(p)]"),
    ("scope", "p = 'a'\ndef f():\n  def g():\n    nonlocal p\n    p = '/x'\n  p = 'a'\n  open(p)"),
    # lists that are not as they are written
    ("list", "import bisect\nps = ['a', 'b']\nbisect.insort(ps, '/etc/passwd')\nopen(ps[0])"),
    ("list", "ps = ['a', 'b']\nlist.__setitem__(ps, 0, '/etc/passwd')\nopen(ps[0])"),
    ("list", "from helpers import fill\nps = ['a', 'b']\nfill(ps)\nopen(ps[0])"),
    ("list", "for p in {'/etc/passwd': 'a'}: open(p)"),
    ("list", "open({1: '/etc/passwd', 0: 'a'}[1])"),
    ("list", "open(sorted(['a', '/etc/passwd'])[0])"),
    ("list", "open([*[], 'a', '/etc/passwd'][1])"),
    ("list", "open((['x' for _ in []] + ['a', '/etc/passwd'])[1])"),
    ("list", "import subprocess\nsubprocess.run(['echo' for _ in []] + ['touch', 'x'])"),
    ("list", "import subprocess\nsubprocess.run({'touch': 'ls', 'x': 'src'})"),
    # classes of what is there already
    ("class", "type(open('README.md', 'rb', 0))('x', 'w')"),
    ("class", "open('README.md', 'rb').raw.__class__('x', 'w')"),
    ("class", "getattr(open('README.md', 'rb').raw, '__class__')('x', 'w')"),
    ("class", "import sqlite3\ntype(sqlite3.connect(':memory:'))('x.db')"),
    ("class", "import subprocess\nsubprocess.Popen(['ls']).__class__(['touch', 'x'])"),
    ("class", "type(license)('a', 'b', ['passwd'], ['/etc'])()"),
    ("class", "f = open('README.md', 'rb', 0)\nf.__init__('x', 'w')"),
    ("class", "match f:\n    case object(__class__=c): c('x', 'w')"),
    ("class", "list(map(type, [f.raw]))[0]('x', 'w')"),
    ("class", "p.__reduce__()[1][0](['touch', 'x'])"),
    # what Python takes for the source of a module
    ("source", "import inspect, types\nm = types.ModuleType('m')\nm.__file__ = '/etc/passwd'"),
    ("source", "import types\nclass M(types.ModuleType): __file__ = '/etc/passwd'"),
    ("source", "setattr(m, '__file__', '/etc/passwd')"),
    ("source", "__file__ = '/etc/x'"),
    # how cells are run
    (
        "ipython",
        "from IPython.core.interactiveshell import InteractiveShell as S\nS.instance().ex('x')",
    ),
    ("ipython", "InteractiveShell.instance().safe_execfile('x.py', {})"),
    ("ipython", "from IPython.core.magic import register_line_magic"),
    ("ipython", "from traitlets import import_item\nimport_item('os.mkdir')('x')"),
    ("ipython", 'import jinja2\njinja2.Template("{{ cycler.__init__ }}").render()'),
    ("ipython", "import hearth.performers.tools.files.replacing as r"),
    ("ipython", "%cd -q .."),
    ("ipython", '%cd "/etc"'),
    ("ipython", "%%writefile --append=x y\nz"),
    # what is shown is read
    ("shown", "from IPython.display import HTML\nHTML('http://evil.example/')"),
    ("shown", "from IPython.display import Markdown\nMarkdown(url='http://evil.example/')"),
    ("shown", "from IPython.display import HTML\nHTML(None, None, '/etc/passwd')"),
    ("shown", "from IPython.display import SVG\nSVG('/etc/passwd')"),
    ("shown", "from IPython.display import HTML\nHTML(text)"),
    ("shown", "from IPython.display import HTML\nh = HTML('x')\nh.reload()"),
    ("shown", "from IPython.display import FileLinks\nFileLinks('/etc')"),
    # by methods of what nobody knows
    ("method", "p.iterdir()"),
    ("method", "list(p.glob('*'))"),
    ("method", "import asyncio\nawait asyncio.get_running_loop().getaddrinfo('a.example', 80)"),
    ("method", "df.to_sql('t', 'sqlite:///x.db')"),
    ("method", "df.to_clipboard()"),
    ("method", "np.ctypeslib.load_library('x', '.')"),
    ("method", "import sympy\nsympy.sympify(text)"),
    ("later", "def len(x): ..."),
    # methods that others call
    ("method", "from pathlib import Path\nlist(map(Path('x').write_text, ['y']))"),
    ("method", "from pathlib import Path\nw = Path('x').write_text"),
    ("method", "from pathlib import Path\n@Path('x').write_text\n@str\nclass X: ..."),
    ("method", "from pathlib import Path\ndef f(): return Path('x').touch"),
    ("method", "pool.submit(p.unlink)"),
    ("method", "run(df.to_csv, 'x.csv')"),
    ("method", "f = db.executescript"),
    # other names for modules, which later cells use
    ("later", "import numpy as n"),
    ("later", "import xml.etree.ElementTree as E"),
    ("later", "xml.sax.parse('/etc/passwd', None)"),
    ("later", "__import__('antigravity')"),
    # programs
    ("program", "import subprocess\nsubprocess.run(['ls', 'x'], -1, '/bin/touch')"),
    ("program", "import asyncio\nawait asyncio.create_subprocess_shell('ls', executable='/x')"),
    (
        "program",
        "import asyncio\nawait asyncio.create_subprocess_shell('ls', env={'BASH_ENV': 'x'})",
    ),
    # texts that are others
    ("coding", "exec(b\"# coding: utf-7\\n#+AAo-open('x','w')\")"),
    ("coding", "%%python\n# -*- coding: utf-7 -*-\n#+AAo-open('x','w')"),
    ("coding", "import inspect\ninspect.Signature.from_callable(g, eval_str=True)"),
    ("coding", "f.register(g)"),
    ("later", "sp.run(['touch', 'x'])"),
    ("later", "sp.check_output(words)"),
    ("later", "import numpy as sp"),
    ("later", "q.sympify(text)"),
    # addresses that look like paths
    ("address", "import pandas as pd\npd.read_csv('file:///etc/passwd')"),
    ("address", "import pandas as pd\npd.read_csv('simplecache::local:///etc/passwd')"),
    ("address", "import pandas as pd\npd.read_csv(' ht\\ntp://evil.example/x')"),
    ("address", "df.read_json('github://x:y@main/z')"),
)
