package mcp

import (
	"cmp"
	"context"
	"encoding"
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/wire"
	"io"
	"iter"
	"time"
)

type Ability = server.Ability
type Access = server.Access

func Annotate(b Block, a Annotations) Block { return server.Annotate(b, a) }

type Annotations = server.Annotations
type AnswerError = server.AnswerError

func Arguments[T any](args []byte, decode func(*wire.Decoder, *T)) (T, error) {
	return server.Arguments[T](args, decode)
}

type ArgumentsError = server.ArgumentsError

func AsBlob[B ~[]byte](b B, err error) (Contents, error)      { return server.AsBlob[B](b, err) }
func AsBlock(b Block, err error) (ToolResult, error)          { return server.AsBlock(b, err) }
func AsBlocks[B ~[]Block](b B, err error) (ToolResult, error) { return server.AsBlocks[B](b, err) }
func AsContent(c Content, err error) (Contents, error)        { return server.AsContent(c, err) }
func AsContentSeq(seq iter.Seq2[Content, error], err error) (Contents, error) {
	return server.AsContentSeq(seq, err)
}
func AsContents(pieces []Content, err error) (Contents, error) { return server.AsContents(pieces, err) }
func AsDone(err error) (ToolResult, error)                     { return server.AsDone(err) }
func AsJSON[T any](v T, err error) (Contents, error)           { return server.AsJSON[T](v, err) }
func AsMarshaler[M encoding.TextMarshaler](m M, err error) (Contents, error) {
	return server.AsMarshaler[M](m, err)
}
func AsMessage(m Message, err error) (PromptResult, error) { return server.AsMessage(m, err) }
func AsMessages[M ~[]Message](m M, err error) (PromptResult, error) {
	return server.AsMessages[M](m, err)
}
func AsPromptText[S ~string](s S, err error) (PromptResult, error) {
	return server.AsPromptText[S](s, err)
}
func AsResult[T any](v T, err error) (ToolResult, error)      { return server.AsResult[T](v, err) }
func AsStream[R io.Reader](r R, err error) (Contents, error)  { return server.AsStream[R](r, err) }
func AsStructured[T any](v T, err error) (ToolResult, error)  { return server.AsStructured[T](v, err) }
func AsText[S ~string](s S, err error) (Contents, error)      { return server.AsText[S](s, err) }
func AsTextBytes[B ~[]byte](b B, err error) (Contents, error) { return server.AsTextBytes[B](b, err) }
func AsTextStream[R io.Reader](r R, err error) (Contents, error) {
	return server.AsTextStream[R](r, err)
}
func AsToolText[S ~string](s S, err error) (ToolResult, error) { return server.AsToolText[S](s, err) }
func AskForm[T any, P Fillable[T]](key, message string) *FormQuestion[T] {
	return server.AskForm[T, P](key, message)
}
func AskModel(key string, p protocol.CreateMessageRequestParams) *ModelQuestion {
	return server.AskModel(key, p)
}
func AskRoots(key string) *RootsQuestion           { return server.AskRoots(key) }
func AskURL(key, message, url string) *URLQuestion { return server.AskURL(key, message, url) }
func Assistant(b Block) Message                    { return server.Assistant(b) }
func AssistantText(s string) Message               { return server.AssistantText(s) }
func AudioBlock(data []byte, mimeType string) *protocol.AudioContent {
	return server.AudioBlock(data, mimeType)
}
func Blob(b []byte) Contents { return server.Blob(b) }

type Block = server.Block

func Blocks(blocks ...Block) ToolResult { return server.Blocks(blocks...) }

const ByClient = server.ByClient
const ByUser = server.ByUser

type Cache = server.Cache
type Call = server.Call
type Caller = server.Caller
type Client = server.Client
type ClientError = server.ClientError
type Completer = server.Completer
type Content = server.Content
type Contents = server.Contents
type DynamicTool = server.DynamicTool

func Elicit[T any, P Fillable[T]](ctx context.Context, c Client, key, message string) (T, error) {
	return server.Elicit[T, P](ctx, c, key, message)
}

const Elicitation = server.Elicitation
const ElicitationURL = server.ElicitationURL

func EmbedBlob(uri, mimeType string, data []byte) *protocol.EmbeddedResource {
	return server.EmbedBlob(uri, mimeType, data)
}
func EmbedText(uri, mimeType, text string) *protocol.EmbeddedResource {
	return server.EmbedText(uri, mimeType, text)
}
func Encoded[T any](f func(e *wire.Encoder, v *T)) Encoding[T] { return server.Encoded[T](f) }

type Encoding[T any] = server.Encoding[T]
type Envelope = server.Envelope

var ErrDeclined = server.ErrDeclined
var ErrDismissed = server.ErrDismissed
var ErrInputRequired = server.ErrInputRequired
var ErrNextLate = server.ErrNextLate
var ErrNoAnswer = server.ErrNoAnswer
var ErrNotFound = server.ErrNotFound
var ErrServerClosed = server.ErrServerClosed
var ErrToolsFixed = server.ErrToolsFixed

func Errorf(format string, args ...any) error { return server.Errorf(format, args...) }

type Features = server.Features
type Files = server.Files
type Fillable[T any] = server.Fillable[T]
type FormOf[T any] = server.FormOf[T]
type FormQuestion[T any] = server.FormQuestion[T]
type Given = server.Given

const Global = server.Global

type Guard = server.Guard
type HeaderParam = server.HeaderParam
type Holder[T any] = server.Holder[T]

func ImageBlock(data []byte, mimeType string) *protocol.ImageContent {
	return server.ImageBlock(data, mimeType)
}
func Join(f *Features, opts *Options, members ...Member) (*Server, error) {
	return server.Join(f, opts, members...)
}

type Keyed[K, V any] = server.Keyed[K, V]

const LevelAlert = server.LevelAlert
const LevelCritical = server.LevelCritical
const LevelEmergency = server.LevelEmergency
const LevelNotice = server.LevelNotice

type Limit = server.Limit

func LinkTo(uri, name string) *protocol.ResourceLink { return server.LinkTo(uri, name) }

type List[R any] = server.List[R]

func ListPages[R any](page func(context.Context, Page) (List[R], error), entry func(b []byte, r R) Ref) Lister {
	return server.ListPages[R](page, entry)
}
func ListPagesFor[R any](page func(context.Context, Page, Caller) (List[R], error), entry func(b []byte, r R) Ref) Lister {
	return server.ListPagesFor[R](page, entry)
}
func ListSeq[R any](seq func(context.Context) iter.Seq2[R, error], entry func(b []byte, r R) Ref) Lister {
	return server.ListSeq[R](seq, entry)
}
func ListSeqFor[R any](seq func(context.Context, Caller) iter.Seq2[R, error], entry func(b []byte, r R) Ref) Lister {
	return server.ListSeqFor[R](seq, entry)
}

type Lister = server.Lister
type Live = server.Live

func Many(pieces ...Content) Contents { return server.Many(pieces...) }

type Member = server.Member
type Message = server.Message

func MessageText(r *protocol.CreateMessageResult) string { return server.MessageText(r) }

type Middleware = server.Middleware
type MissingAbilityError = server.MissingAbilityError

func MissingImpl(field string) error { return server.MissingImpl(field) }

type ModelQuestion = server.ModelQuestion

func ModernVersion(revision string) bool { return server.ModernVersion(revision) }
func NewHolder[T any](v T, entry func([]byte, T) Ref, contents func(T, error) (Contents, error)) *Holder[T] {
	return server.NewHolder[T](v, entry, contents)
}
func NewServer(f *Features, opts *Options) (*Server, error) { return server.NewServer(f, opts) }
func NewStore[K, V any](kind Keyed[K, V]) *Store[K, V]      { return server.NewStore[K, V](kind) }
func NoArguments(args []byte) error                         { return server.NoArguments(args) }
func NotFound(uri string) error                             { return server.NotFound(uri) }
func NullID(rev protocol.Revision) bool                     { return server.NullID(rev) }
func OpenEnvelope(text []byte) Envelope                     { return server.OpenEnvelope(text) }

type Options = server.Options
type Page = server.Page
type Policy = server.Policy

func PolicyOf(f func(context.Context, Caller) error) Policy { return server.PolicyOf(f) }
func Poll(every time.Duration, read func(*Call) (Contents, error)) func(*Call) (iter.Seq2[time.Time, error], error) {
	return server.Poll(every, read)
}

func Prefixed(prefix string, m Member) Member { return server.Prefixed(prefix, m) }

type Progress = server.Progress
type Prompt = server.Prompt
type PromptResult = server.PromptResult

func Propose(values ...string) func(c *Call, prefix string, given Given) ([]string, error) {
	return server.Propose(values...)
}

type Proto = server.Proto

func Public(err error) error { return server.Public(err) }

type Question = server.Question

func ReadsTemplate(template string, uri func(v *Vars) (string, error)) *TemplateTool {
	return server.ReadsTemplate(template, uri)
}

type Ref = server.Ref
type RefInfo = server.RefInfo
type Resource = server.Resource
type ResponseWriter = server.ResponseWriter
type Result = server.Result

func Revisions() []protocol.Revision              { return server.Revisions() }
func Roles[S ~string](names ...S) []protocol.Role { return server.Roles[S](names...) }

const Roots = server.Roots

type RootsQuestion = server.RootsQuestion

const Sampling = server.Sampling
const SamplingTools = server.SamplingTools

type Server = server.Server
type Session = server.Session
type Share = server.Share
type Store[K, V any] = server.Store[K, V]
type TemplateTool = server.TemplateTool

func Text(s string) Contents                   { return server.Text(s) }
func TextBlock(s string) *protocol.TextContent { return server.TextBlock(s) }
func TextBytes(b []byte) Contents              { return server.TextBytes(b) }
func TextOf(m encoding.TextMarshaler) string   { return server.TextOf(m) }

type Tool = server.Tool
type ToolResult = server.ToolResult

func ToolText(s string) ToolResult { return server.ToolText(s) }

type URLQuestion = server.URLQuestion

func User(b Block) Message                             { return server.User(b) }
func UserMessage(text string) protocol.SamplingMessage { return server.UserMessage(text) }
func UserText(s string) Message                        { return server.UserText(s) }
func VarEnum[T ~string](v *Vars, i int, name string, values ...T) T {
	return server.VarEnum[T](v, i, name, values...)
}

type VarError = server.VarError

func VarFloat[T ~float32 | ~float64](v *Vars, i int, name string) T {
	return server.VarFloat[T](v, i, name)
}
func VarInt[T wire.Integer](v *Vars, i int, name string) T   { return server.VarInt[T](v, i, name) }
func VarMax[T cmp.Ordered](v *Vars, name string, x, most T)  { server.VarMax[T](v, name, x, most) }
func VarMin[T cmp.Ordered](v *Vars, name string, x, least T) { server.VarMin[T](v, name, x, least) }
func VarOf[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](v *Vars, i int, name string) T {
	return server.VarOf[T, P](v, i, name)
}
func VarOneOf[T comparable](v *Vars, name string, x T, values ...T) {
	server.VarOneOf[T](v, name, x, values...)
}

type Vars = server.Vars
type Waiter = server.Waiter

func WalkFiles(files func() Files) Lister                        { return server.WalkFiles(files) }
func WithCaller(ctx context.Context, who Caller) context.Context { return server.WithCaller(ctx, who) }
func WithType(mimeType string) func(c Contents, err error) (Contents, error) {
	return server.WithType(mimeType)
}
