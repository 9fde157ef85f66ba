"""What of Python's own library computes and only computes, module by module: an allow-list."""

from typing import Final

from hearth.performers.judging.python_effects import words

WHOLE: Final = words(
    "__future__ abc array binascii bisect builtins calendar cmath collections.abc colorsys "
    "contextvars copy datetime decimal difflib errno fnmatch fractions getopt graphlib hashlib "
    "heapq hmac ipaddress itertools keyword math numbers opcode operator queue random reprlib "
    "sched secrets stat statistics stringprep struct textwrap this time token unicodedata zlib "
    "html.entities"
)
"""Of these every public name that is their own."""

_PATHS: Final = words(
    "abspath altsep basename commonpath commonprefix curdir defpath devnull dirname exists "
    "expanduser expandvars extsep getatime getctime getmtime getsize isabs isdir isfile islink "
    "ismount join lexists normcase normpath pardir pathsep realpath relpath samefile "
    "sameopenfile samestat sep split splitdrive splitext supports_unicode_filenames"
)
PARTS: Final[dict[str, frozenset[str]]] = {
    "argparse": words(
        "Action ArgumentDefaultsHelpFormatter ArgumentParser BooleanOptionalAction HelpFormatter "
        "MetavarTypeHelpFormatter Namespace RawDescriptionHelpFormatter RawTextHelpFormatter"
    ),
    "ast": words(
        "copy_location dump fix_missing_locations get_docstring get_source_segment "
        "increment_lineno iter_child_nodes iter_fields literal_eval parse unparse walk A-Z"
    ),
    "asyncio": words(
        "Barrier BoundedSemaphore Condition Event Future LifoQueue Lock PriorityQueue Queue "
        "QueueEmpty QueueFull Runner Semaphore Task TaskGroup all_tasks as_completed create_task "
        "current_task ensure_future gather get_event_loop get_running_loop iscoroutine "
        "iscoroutinefunction isfuture new_event_loop run run_coroutine_threadsafe set_event_loop "
        "shield sleep timeout timeout_at to_thread wait wait_for wrap_future"
    ),
    "base64": words(
        "a85decode a85encode b16decode b16encode b32decode b32encode b32hexdecode b32hexencode "
        "b64decode b64encode b85decode b85encode decodebytes encodebytes standard_b64decode "
        "standard_b64encode urlsafe_b64decode urlsafe_b64encode"
    ),
    "bz2": words("BZ2Compressor BZ2Decompressor compress decompress"),
    "cProfile": frozenset(),
    "codecs": words(
        "EncodedFile StreamReader StreamReaderWriter StreamWriter decode encode getdecoder "
        "getencoder getincrementaldecoder getincrementalencoder getreader getwriter iterdecode "
        "iterencode lookup"
    ),
    "collections": words(
        "ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque namedtuple"
    ),
    "concurrent": frozenset(),
    "concurrent.futures": words(
        "BrokenExecutor Executor Future ProcessPoolExecutor ThreadPoolExecutor as_completed wait"
    ),
    "configparser": words(
        "BasicInterpolation ConfigParser ExtendedInterpolation Interpolation RawConfigParser "
        "SafeConfigParser SectionProxy"
    ),
    "contextlib": words(
        "AbstractAsyncContextManager AbstractContextManager AsyncContextDecorator AsyncExitStack "
        "ContextDecorator ExitStack aclosing asynccontextmanager closing contextmanager "
        "nullcontext redirect_stderr redirect_stdout suppress"
    ),
    "csv": words(
        "Dialect DictReader DictWriter Sniffer excel excel_tab field_size_limit get_dialect "
        "list_dialects reader register_dialect unix_dialect writer"
    ),
    "dataclasses": words(
        "Field InitVar asdict astuple dataclass field fields is_dataclass make_dataclass replace"
    ),
    "dis": words("Bytecode Instruction code_info dis get_instructions opmap opname show_code"),
    "email": words(
        "message_from_binary_file message_from_bytes message_from_file message_from_string"
    ),
    "email.header": words("Header decode_header make_header"),
    "email.message": words("EmailMessage Message"),
    "email.mime": frozenset(),
    "email.mime.multipart": words("MIMEMultipart"),
    "email.mime.text": words("MIMEText"),
    "email.parser": words("BytesParser Parser"),
    "email.policy": words("compat32 default strict"),
    "email.utils": words(
        "formataddr formatdate getaddresses make_msgid parseaddr parsedate parsedate_to_datetime"
    ),
    "enum": words(
        "Enum EnumCheck EnumMeta EnumType Flag FlagBoundary IntEnum IntFlag ReprEnum StrEnum auto "
        "global_enum member nonmember property unique verify"
    ),
    "filecmp": words("clear_cache"),
    "fileinput": frozenset(),
    "functools": words(
        "cache cached_property cmp_to_key lru_cache partial partialmethod reduce singledispatch "
        "singledispatchmethod total_ordering update_wrapper wraps"
    ),
    "gc": words("collect disable enable get_count get_stats get_threshold isenabled set_threshold"),
    "getpass": words("getpass getuser"),
    "gettext": words("NullTranslations gettext ngettext"),
    "glob": words("escape has_magic"),
    "gzip": words("compress decompress"),
    "html": words("escape unescape"),
    "html.parser": words("HTMLParser"),
    "http": words("HTTPMethod HTTPStatus"),
    "http.cookies": words("BaseCookie Morsel SimpleCookie"),
    "importlib": words("invalidate_caches reload"),
    "importlib.metadata": words(
        "PackageNotFoundError metadata packages_distributions requires version"
    ),
    "importlib.util": words("find_spec"),
    "inspect": words(
        "BoundArguments Parameter Signature cleandoc getcomments getdoc getfile getfullargspec "
        "getmodulename getmro getsource getsourcefile getsourcelines isabstract "
        "isasyncgenfunction isawaitable isbuiltin isclass iscode iscoroutine "
        "iscoroutinefunction isdatadescriptor isfunction isgenerator isgeneratorfunction "
        "ismethod ismethoddescriptor ismodule isroutine signature unwrap"
    ),
    "io": words(
        "BufferedIOBase BufferedRandom BufferedReader BufferedWriter BytesIO IOBase RawIOBase "
        "StringIO TextIOBase TextIOWrapper UnsupportedOperation text_encoding"
    ),
    "json": words("JSONDecoder JSONEncoder dump dumps load loads"),
    "json.decoder": words("JSONDecoder"),
    "json.encoder": words("JSONEncoder"),
    "linecache": words("clearcache"),
    "locale": words(
        "atof atoi currency delocalize format_string getdefaultlocale getencoding getlocale "
        "getpreferredencoding localeconv setlocale str strcoll strxfrm"
    ),
    "logging": words(
        "BufferingFormatter Filter Formatter Handler LogRecord Logger LoggerAdapter NullHandler "
        "StreamHandler addLevelName captureWarnings critical debug disable error exception "
        "getLevelName getLevelNamesMapping getLogger info lastResort log raiseExceptions root "
        "shutdown warn warning"
    ),
    "logging.handlers": words("BufferingHandler MemoryHandler QueueHandler QueueListener"),
    "lzma": words("LZMACompressor LZMADecompressor compress decompress is_check_supported"),
    "mimetypes": words("guess_all_extensions guess_extension guess_type types_map"),
    "mmap": words("mmap"),
    "multiprocessing": words(
        "Array Barrier BoundedSemaphore Condition Event JoinableQueue Lock Pool Process Queue "
        "RLock RawArray RawValue Semaphore SimpleQueue Value active_children cpu_count "
        "current_process freeze_support get_logger get_start_method log_to_stderr "
        "parent_process set_start_method"
    ),
    "multiprocessing.pool": words("Pool ThreadPool"),
    "ntpath": _PATHS,
    "os": words(
        "getcwd getcwdb getenv getenvb getpid getppid getuid geteuid getgid getegid getgroups "
        "getlogin cpu_count sched_getaffinity uname fspath fsencode fsdecode urandom getrandom "
        "get_terminal_size times getloadavg stat lstat access strerror readlink isatty "
        "get_exec_path sysconf confstr getpgid getsid get_inheritable statvfs path environ "
        "environb DirEntry stat_result PathLike waitstatus_to_exitcode error listxattr getxattr "
        "supports_follow_symlinks terminal_size sysconf_names confstr_names name sep altsep "
        "linesep curdir pardir extsep pathsep defpath devnull"
    ),
    "os.path": _PATHS,
    "pathlib": words("Path PosixPath PurePath PurePosixPath PureWindowsPath WindowsPath"),
    "pickle": words("Pickler dump dumps"),
    "pickletools": words("dis genops optimize"),
    "pkgutil": frozenset(),
    "platform": words(
        "freedesktop_os_release machine node platform processor python_branch python_build "
        "python_compiler python_implementation python_revision python_version "
        "python_version_tuple release system uname version"
    ),
    "plistlib": words("dump dumps load loads"),
    "pprint": words("PrettyPrinter isreadable isrecursive pformat pp pprint saferepr"),
    "profile": frozenset(),
    "quopri": words("decodestring encodestring"),
    "re": words(
        "Match Pattern RegexFlag Scanner compile error escape findall finditer fullmatch match "
        "purge search split sub subn template"
    ),
    "resource": words("getpagesize getrlimit getrusage struct_rusage"),
    "select": words("epoll poll select"),
    "selectors": words("DefaultSelector EpollSelector PollSelector SelectSelector SelectorKey"),
    "shlex": words("join quote split"),
    "shutil": words(
        "which disk_usage get_terminal_size get_archive_formats get_unpack_formats ignore_patterns"
    ),
    "signal": words(
        "Handlers Signals Sigmasks alarm default_int_handler getitimer getsignal setitimer signal "
        "strsignal valid_signals"
    ),
    "site": words("getsitepackages getuserbase getusersitepackages"),
    "sqlite3": words(
        "Binary Date DateFromTicks Row Time TimeFromTicks Timestamp TimestampFromTicks apilevel "
        "complete_statement paramstyle register_adapter register_converter sqlite_version "
        "sqlite_version_info threadsafety version version_info"
    ),
    "string": words(
        "Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits "
        "octdigits printable punctuation whitespace"
    ),
    "subprocess": words("CompletedProcess TimeoutExpired list2cmdline"),
    "symtable": words("symtable"),
    "sys": words(
        "api_version argv base_exec_prefix base_prefix "
        "builtin_module_names byteorder copyright displayhook dont_write_bytecode "
        "exc_info excepthook exception exec_prefix executable exit flags float_info "
        "float_repr_style get_int_max_str_digits getallocatedblocks getdefaultencoding "
        "getfilesystemencodeerrors getfilesystemencoding getrecursionlimit getrefcount getsizeof "
        "getswitchinterval hash_info hexversion implementation int_info intern is_finalizing "
        "last_traceback last_type last_value maxsize maxunicode modules orig_argv path platform "
        "platlibdir prefix ps1 ps2 pycache_prefix set_int_max_str_digits setrecursionlimit "
        "setswitchinterval stderr stdin stdlib_module_names stdout thread_info unraisablehook "
        "version version_info warnoptions"
    ),
    "sysconfig": words(
        "get_config_var get_config_vars get_path get_path_names get_paths get_platform "
        "get_python_version get_scheme_names"
    ),
    "tarfile": words("TarInfo"),
    "tempfile": words("gettempdir gettempprefix"),
    "threading": words(
        "Barrier BoundedSemaphore Condition Event Lock RLock Semaphore Thread Timer active_count "
        "current_thread enumerate get_ident get_native_id local main_thread"
    ),
    "timeit": words("default_timer"),
    "tokenize": words("TokenInfo detect_encoding generate_tokens tokenize untokenize"),
    "tomllib": words("load loads"),
    "traceback": words(
        "TracebackException clear_frames extract_stack extract_tb format_exc format_exception "
        "format_exception_only format_stack format_tb print_exc print_exception print_last "
        "print_stack print_tb"
    ),
    "tracemalloc": words(
        "clear_traces get_object_traceback get_traced_memory get_tracemalloc_memory is_tracing "
        "reset_peak start stop take_snapshot"
    ),
    "types": words(
        "AsyncGeneratorType BuiltinFunctionType BuiltinMethodType CoroutineType "
        "DynamicClassAttribute EllipsisType GeneratorType GenericAlias MappingProxyType "
        "MethodType ModuleType NoneType NotImplementedType SimpleNamespace TracebackType "
        "UnionType coroutine get_original_bases new_class prepare_class resolve_bases"
    ),
    "typing": words(
        "assert_never assert_type cast clear_overloads dataclass_transform final get_args "
        "get_origin get_overloads is_typeddict no_type_check overload override reveal_type "
        "runtime_checkable A-Z"
    ),
    "unittest": words(
        "FunctionTestCase IsolatedAsyncioTestCase SkipTest TestCase TestResult TestSuite "
        "TextTestResult TextTestRunner expectedFailure skip skipIf skipUnless"
    ),
    "unittest.mock": words(
        "AsyncMock MagicMock Mock NonCallableMagicMock NonCallableMock PropertyMock call "
        "create_autospec mock_open seal sentinel"
    ),
    "urllib": frozenset(),
    "urllib.error": frozenset(),
    "urllib.parse": words(
        "ParseResult SplitResult parse_qs parse_qsl quote quote_from_bytes quote_plus unquote "
        "unquote_plus unquote_to_bytes urldefrag urlencode urljoin urlparse urlsplit urlunparse "
        "urlunsplit"
    ),
    "uuid": words("SafeUUID UUID uuid1 uuid3 uuid4 uuid5"),
    "warnings": words("catch_warnings filterwarnings resetwarnings simplefilter warn"),
    "wave": frozenset(),
    "weakref": words(
        "ReferenceType WeakKeyDictionary WeakMethod WeakSet WeakValueDictionary finalize "
        "getweakrefcount getweakrefs proxy ref"
    ),
    "xml": frozenset(),
    "xml.dom": frozenset(),
    "xml.dom.minidom": words("Document parseString"),
    "xml.etree": frozenset(),
    "xml.etree.ElementTree": words(
        "Comment Element ElementTree PI ProcessingInstruction QName SubElement TreeBuilder XML "
        "XMLParser XMLPullParser dump fromstring fromstringlist indent iselement "
        "register_namespace tostring tostringlist"
    ),
    "xml.sax": frozenset(),
    "xml.sax.saxutils": words("escape quoteattr unescape"),
    "zipfile": words("ZipInfo"),
    "zoneinfo": words("ZoneInfo available_timezones"),
}
"""Of these only this, their constants and their failures. Modules of which only what has an effect
of its own may be used are here with nothing."""
